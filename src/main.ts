#!/usr/bin/env node
// An older Node can't even load the rest of the program, so its version is looked at first. This file imports nothing
// before that, and is written in words an old Node understands.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) void import('./program.js');
else {
  console.error(`jobcrier needs Node.js 20.19 or later and this is ${process.version}: install a newer one.`);
  process.exitCode = 2;
}
