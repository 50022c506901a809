// Checks PostgreSQL: its version, its free connections, and settings that can lose confirmed data.
import { inspectPostgres } from '../../store/postgres.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { type Check, type Finding, fail, off, ok, warn } from './check.js';

/** The oldest major version that the PostgreSQL project still supports. */
const LEAST = 14;

export const postgresCheck: Check = {
  name: 'PostgreSQL',
  async run({ config }) {
    const where = parseStoreUrl(config.store.url);
    if (where.kind !== 'postgres') return [off('the store is a SQLite file')];
    const { version, fsync, synchronousCommit, encoding, connections } = await inspectPostgres(where.address);
    const findings: Finding[] = [];
    if (Number.parseInt(version, 10) < LEAST)
      findings.push(warn(`version ${version} is no longer cared for`, `use PostgreSQL ${LEAST} or newer`));
    if (encoding !== 'UTF8')
      findings.push(fail(`the database is in ${encoding}`, 'make one with ENCODING UTF8 and use that'));
    if (fsync !== 'on')
      findings.push(fail('fsync is off: a power cut can destroy the database', 'set fsync = on'));
    if (synchronousCommit === 'off')
      findings.push(
        fail(
          'synchronous_commit is off: what was confirmed can be lost in a crash, and is announced again then',
          'set synchronous_commit = on, at least for this database',
        ),
      );
    const free = connections.most - connections.used;
    if (free < connections.pool)
      findings.push(
        warn(
          `${connections.used} of ${connections.most} connections are in use, and each process opens up to ${connections.pool}`,
          'raise max_connections',
        ),
      );
    return findings.length > 0 ? findings : [ok(`version ${version}, ${free} connections free`)];
  },
};
