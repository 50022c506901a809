// Removes from node_modules what is not read while the program runs, a third of it: type declarations, source maps
// and documents. Licences stay. npm compares names and versions, so updates work as before, and `npm ci` restores
// everything.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isUnread } from './unread.mjs';

for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true }))
  if (entry.isFile() && isUnread(entry.name)) rmSync(join(entry.parentPath, entry.name));
