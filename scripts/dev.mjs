// `npm run dev`: the program with sample data, built and restarted at every change of src/. It needs no settings: a
// board with the sample jobs, one subscription to the console, and the pages with /admin. Everything is in data/dev.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';

const DIR = 'data/dev';
const [BOARD_PORT, PAGES_PORT] = [4000, 8080];
const TOKEN = 'dev-token';
const ADMIN_TOKEN = 'development-only';

mkdirSync(`${DIR}/config`, { recursive: true });
const keep = (file, text) => existsSync(file) || writeFileSync(file, text);
if (!existsSync(`${DIR}/jobs.json`)) copyFileSync('config/sample-jobs.json', `${DIR}/jobs.json`);
keep(`${DIR}/tokens.json`, JSON.stringify([{ token: TOKEN, permissions: ['jobs:read'], partner: 'dev' }]));
keep(
  `${DIR}/config/subscriptions.yaml`,
  '- id: dev\n  newest: 3\n  destinations: [{ sink: console, cadence: immediate }]\n',
);

const env = {
  ...process.env,
  JOBS_API_URL: `http://127.0.0.1:${BOARD_PORT}`,
  JOBS_API_TOKEN: TOKEN,
  ADMIN_TOKEN,
  SOURCE_NAME: 'the development board',
  DATA_DIR: DIR,
  CONFIG_DIR: `${DIR}/config`,
  HTTP_PORT: String(PAGES_PORT),
  LIVE_SCHEDULE: '*/5 * * * * *',
  MIN_POLL_SECONDS: '1',
  BACKUP_KEEP: '0',
};

const tsc = ['node_modules/typescript-compiler/bin/tsc', '-p', 'tsconfig.build.json'];
const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const start = (args) => spawn(process.execPath, args, { stdio: 'inherit', env });
const children = [
  start([...tsc, '--watch', '--preserveWatchOutput']),
  start([
    ...['dist/main.js', 'board', '--jobs', `${DIR}/jobs.json`, '--tokens', `${DIR}/tokens.json`],
    ...['--port', String(BOARD_PORT)],
  ]),
  start(['--watch', '--watch-preserve-output', 'dist/main.js', 'run']),
];

console.log(`
Pages:      http://127.0.0.1:${PAGES_PORT}/admin (token: ${ADMIN_TOKEN})
Jobs:       add one to ${DIR}/jobs.json, and it arrives within seconds
Start over: remove ${DIR}
`);

function stop() {
  for (const child of children) child.kill();
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
// If one ends, for example because a port is in use, the others end too.
for (const child of children) child.on('exit', stop);
