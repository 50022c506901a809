// One story of the real process and its secrets: everything arrives, then nothing does; it ends early, and every
// command is asked about it. Everything that could be seen on the way is recorded.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '../../src/domain/secret.js';
import { openStores } from '../../src/store/index.js';
import { loadSecretKeys } from '../../src/store/secret-keys.js';
import type { Canary } from './canaries.js';
import { type Notes, takeNotes } from './canary-notes.js';
import {
  ACCOUNTS,
  CANARIES,
  DKIM_KEY,
  faultySettings,
  NEXT_SECRET_KEY,
  SECRET_KEY,
  SECRETS,
  WEBHOOK_SECRET,
} from './canary-secrets.js';
import { type FullHouse, openFullHouse, READERS } from './full-house.js';
import { echoingFeed, HOSTILE_ANSWERS, redactorOf } from './hostile-answers.js';
import { keptLog } from './mail.js';
import { workFolder } from './process.js';
import { put } from './put.js';
import { startTelegram, type TelegramServer } from './telegram.js';

const { operator: OPERATOR, person: PERSON, refused: REFUSED } = SECRETS;
/** A sink module that prints everything it knows when it fails, and may end the process. */
const SINK = `
const told = () => Object.assign(new TypeError('cannot work with ' + JSON.stringify(process.env)), {
  env: { ...process.env }, cause: new Error(Object.values(process.env).join(' ')),
});
export const createSink = () => ({
  name: 'blunt',
  parseTarget: () => '',
  start() { if (process.env.BLUNT) setImmediate(() => { throw told(); }); },
  async deliver() { throw told(); },
});
`;

/** The apply link of a posting of the story. */
export const linkOf = (id: string) => `https://board.example/r/${id}__me?a=1&b=2`;
const item = (id: string) =>
  `<item><guid>${id}</guid><title>${id} Pilot</title><link>${linkOf(id).replaceAll('&', '&amp;')}</link></item>`;

/** A posting with the token in every field. */
function echoingItem({ value }: Canary): string {
  const redactor = redactorOf(value).replaceAll('&', '&amp;');
  const fields = ['title', 'description', 'category', 'company', 'location', 'salary', 'pubDate', 'other'];
  const address = `https://board.example/jobs/1?token=${encodeURIComponent(value)}`;
  const texts = fields.map((name) => `<${name}>Echo Pilot ${redactor}</${name}>`).join('');
  return `<item><guid>${value}</guid>${texts}<link>${address}</link><url>${address}</url></item>`;
}

/** A hard bounce as Postmark posts it, from a relay that repeats its credentials. */
const bounceOf = (address: string) =>
  JSON.stringify({
    RecordType: 'Bounce',
    Type: 'HardBounce',
    TypeCode: 1,
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    Details: `smtp;550 5.1.1 no such user (Authorization: Bearer ${SECRETS.bounce.value})`,
    Email: address,
    BouncedAt: '2026-11-05T16:33:54.9070259Z',
  });

/** What the story left. */
export interface Traces {
  readonly house: FullHouse;
  readonly notes: Notes;
  readonly canaries: readonly Canary[];
  /** The outcome of the first poll of each account. */
  readonly polls: Readonly<Record<string, Record<string, unknown>>>;
}

let house: FullHouse;
let telegram: TelegramServer;
let notes: Notes;
const polls: Record<string, Record<string, unknown>> = {};
/** The same as `token set`, without a process for each. */
async function storeTokens(): Promise<void> {
  const dataDir = join(house.dir, 'data');
  const log = keptLog();
  const keys = await loadSecretKeys({ value: secret(SECRET_KEY), dataDir, log });
  const url = `sqlite://${join(dataDir, 'jobcrier.sqlite')}`;
  const stores = await openStores({ url, dataDir, keys, log, clock: Date });
  for (const [id, { value }] of Object.entries(ACCOUNTS))
    await put(stores.accounts, { id, token: secret(value), createdAt: Date.now() });
  await stores.close();
}

async function prepare(): Promise<void> {
  const { front, dir, user, receiver } = house;
  await writeFile(join(dir, 'sink.mjs'), SINK);
  const jobsApi = { attemptTimeoutMs: 3000, maxBytes: 200_000 };
  const settings = { jobsApi, limits: { pollConcurrency: 10 } };
  await writeFile(join(dir, 'config', 'default.json'), JSON.stringify(settings));
  front.answer(HOSTILE_ANSWERS.login?.answer(REFUSED.value), REFUSED.value);
  const set = (account: string, { name, value }: Canary) =>
    notes.command(`token set --account ${account}`, { input: `${value}\n` }, `token set, ${name}`);
  await notes.commands(
    () => set(`discord:${user.id}`, PERSON),
    () => set('refused', REFUSED),
  );
  await storeTokens();
  const far = new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', { weekday: 'long' });
  const entries = [
    `- id: later\n  destinations: [{ sink: email, target: later@example.org, consented: true, cadence: { weekly: ${far.toLowerCase()}, at: "09:00" } }]`,
    ...Object.keys(ACCOUNTS).map(
      (name) =>
        `- id: ${name}\n  account: ${name}\n  destinations: [{ sink: webhook, target: "${receiver.url}", cadence: immediate }]`,
    ),
  ];
  await notes.command('subscriptions import', { input: `${entries.join('\n')}\n` });
}

async function talk(): Promise<void> {
  const { discord, user, guild, front } = house;
  await discord.ready();
  const modal = await user.slash('/token set', {}, { guild }).modal();
  await user.submit(modal, { token: REFUSED.value }).reply();
  await user.slash('/token status', {}, { guild }).reply();
  await user.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
  await user.slash('/jobs preview', { tags: 'rust' }, { guild }).reply();
  front.answer(HOSTILE_ANSWERS.page?.answer(PERSON.value), PERSON.value);
  await user.slash('/jobs preview', { tags: 'defi' }, { guild }).reply();
  await user.slash('/privacy export', {}, { guild }).reply();
}

/** Everything arrives, while each account meets another fault of the API. */
async function goodDay(): Promise<void> {
  const { front, user, smtp, receiver } = house;
  for (const [name, { value }] of Object.entries(ACCOUNTS))
    front.answer(HOSTILE_ANSWERS[name]?.answer(value), value);
  const program = house.start(['run']);
  const recorded = (id: string) =>
    program.json().some(({ msg, subscription }) => msg === 'poll recorded' && subscription === id);
  await program.until('the baselines', () => recorded('all') && recorded('later'), 60_000);
  const done = (name: string) =>
    program
      .json()
      .find(({ msg, account, retried }) => msg === 'request done' && account === name && !retried);
  const feed = echoingFeed(OPERATOR.value, item('Harbour') + echoingItem(OPERATOR));
  front.answer({ status: 200, headers: { etag: `"${OPERATOR.value}"` }, body: feed }, OPERATOR.value);
  await talk();
  const report = async ({ value }: Canary, body?: string) => {
    const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
    const post = { method: 'POST', headers, ...(body === undefined ? {} : { body }) };
    const answer = await house.visit(program, '/bounces', post);
    notes.note('answer to a bounce', await answer.text());
    return answer.status;
  };
  notes.ends['a bounce'] = await report(SECRETS.bounce, bounceOf('gone@example.org'));
  notes.ends['a bounce without a report'] = await report(SECRETS.bounce);
  notes.ends['a forged bounce'] = await report(PERSON, bounceOf(READERS.now));
  await program.until(
    'the editions',
    () =>
      smtp.mails.length >= 2 &&
      user.dms().length > 0 &&
      receiver.received.length > 0 &&
      telegram.sent.length > 0,
    60_000,
  );
  const { edition, feed: own } = await house.readerPages(program);
  notes.note('edition page', edition);
  notes.note('feed page', own);
  for (const signal of ['SIGUSR2', 'SIGHUP'] as const) program.kill(signal);
  const met = () => Object.keys(ACCOUNTS).every((name) => done(name) !== undefined);
  await program.until('every fault', met, 60_000);
  for (const name of Object.keys(ACCOUNTS)) polls[name] = done(name) ?? {};
  // No delivery is retried any more, because a stop would wait for it.
  for (const { value } of Object.values(ACCOUNTS))
    front.answer(HOSTILE_ANSWERS.unknown?.answer(value), value);
  await notes.commands('backup copy.sqlite', 'subscriptions export');
  await notes.lookAround(program, 'while all is well');
  notes.ends['a good day'] = await house.stop(program);
}

function refuseLogins(): void {
  const { value } = SECRETS.mail;
  const login = Buffer.from(`\0crier\0${value}`).toString('base64');
  const text = `5.7.8 Error: crier:${value} (${login}) is not known`;
  house.smtp.script.auth.push(...Array.from({ length: 10 }, () => ({ code: 535, text })));
}

/** New postings reach no recipient: each one refuses, and repeats what it was sent. */
async function badDay(): Promise<void> {
  const { front, discord, smtp, receiver } = house;
  const body = echoingFeed(OPERATOR.value, item('Night') + item('Harbour'));
  front.answer({ status: 200, body }, OPERATOR.value);
  const message = `You are Bot ${discord.token}`;
  const send = 'POST /channels/:id/messages';
  discord.faults.next(send, { kind: 'status', status: 403, body: { code: 50013, message } }, 1);
  discord.faults.next(send, { kind: 'status', status: 401, body: { code: 0, message } }, 20);
  refuseLogins();
  receiver.answers.push(...Array.from({ length: 20 }, () => 500));
  for (let times = 0; times < 20; times++)
    telegram.fail({ status: 401, description: `Unauthorized: bot${telegram.token}` });
  const program = house.start(['run']);
  const failed = () => program.json().filter(({ msg }) => msg === 'delivery failed');
  // The webhook, both channels, the chat, the person and both readers; the sink module has failed before.
  const all = () => new Set(failed().map(({ destination }) => destination)).size >= 7;
  await program.until('every failure', all, 60_000);
  await notes.lookAround(program, 'while nothing works');
  notes.ends['a bad day'] = await house.stop(program);
  smtp.script.auth.length = 0;
  receiver.answers.length = 0;
  discord.faults.clear();
}

async function earlyEnds(): Promise<void> {
  await notes.command('run', { env: { BLUNT: 'yes' } }, 'an error nobody catches');
  house.discord.gateway.rejectIdentify(4004);
  await notes.command('run', {}, 'a bot that is refused');
}

async function inquiries(): Promise<void> {
  house.front.answer(HOSTILE_ANSWERS.login?.answer(OPERATOR.value), OPERATOR.value);
  refuseLogins();
  await notes.commands(
    'doctor --json --report report.json',
    'mail send-test me@example.org',
    'poll --subscription later',
    'poll --subscription later --dry-run --json',
    'token status --account operator',
    'token status --account unknown --json',
    'why --subscription all --posting Night --json',
    'digest --subscription later --out digest',
    'mail preview --out preview',
    'mail lint',
    'config dump --json',
    () => notes.command('config check', { env: faultySettings() }, 'config check of faults'),
    () => notes.command('doctor', { env: faultySettings() }, 'doctor with faults'),
    'subscriptions list --json',
  );
  await notes.command('keys rotate', { env: { SECRET_KEY: `${NEXT_SECRET_KEY},${SECRET_KEY}` } });
}

/** Runs the story once; everything that was started has ended when it resolves. */
export async function tellCanaryStory(): Promise<Traces> {
  const elsewhere = await workFolder();
  await writeFile(join(elsewhere.dir, 'bounce'), SECRETS.bounce.value);
  telegram = await startTelegram(SECRETS.telegram.value);
  telegram.addChat('-1001234567890');
  house = await openFullHouse({
    jobs: [{ id: '1', title: 'Rust Engineer', tags: ['rust'], apply_url: linkOf('Rust') }],
    tokens: [OPERATOR, PERSON].map(({ value }) => ({ token: value })),
    mailPassword: SECRETS.mail.value,
    extra: [
      '- { sink: blunt, cadence: immediate }',
      '- { sink: telegram, target: "-1001234567890", cadence: immediate }',
    ],
    env: {
      LOG_LEVEL: 'trace',
      ADMIN_TOKEN: SECRETS.admin.value,
      BOUNCE_SECRET_FILE: join(elsewhere.dir, 'bounce'),
      SECRET_KEY,
      WEBHOOK_SECRET,
      DKIM_DOMAIN: 'crier.example.org',
      DKIM_SELECTOR: 'jobs',
      DKIM_KEY,
      SINKS: './sink.mjs',
      TELEGRAM_TOKEN: telegram.token,
      TELEGRAM_API_URL: telegram.url,
    },
  });
  notes = takeNotes(house);
  try {
    for (const chapter of [prepare, goodDay, badDay, earlyEnds, inquiries]) await chapter();
    await notes.lookBack();
  } finally {
    await house.close();
    await telegram.stop();
    await elsewhere.remove();
  }
  // The first part of a bot's token is its id, which is public.
  const botToken = { name: 'DISCORD_TOKEN', value: house.discord.token.replace(/^[^.]+\./u, '') };
  return { house, notes, canaries: [...CANARIES, botToken], polls };
}
