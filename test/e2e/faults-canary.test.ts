// Recognizable secrets, taken through every fault: none of them may appear in anything that the real process prints,
// stores, sends, shows or passes on. One story runs once; the tests check what it left.
import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Canary, sightings } from '../helpers/canaries.js';
import { ACCOUNTS, CANARIES } from '../helpers/canary-secrets.js';
import { linkOf, type Traces, tellCanaryStory } from '../helpers/canary-story.js';
import { HOSTILE_ANSWERS } from '../helpers/hostile-answers.js';
import { childrenOf } from '../helpers/proc.js';
import { until } from '../helpers/until.js';

/** Far longer than it takes, for busy machines. */
const PATIENCE = 240_000;

let traces: Traces;
beforeAll(async () => {
  traces = await tellCanaryStory();
}, PATIENCE);

test.each(Object.entries(HOSTILE_ANSWERS))(
  'the account of an API that is "%s" met exactly that',
  (name, wanted) => {
    expect(traces.house.front.asked.some(({ token }) => token === ACCOUNTS[name]?.value)).toBe(true);
    expect(traces.polls[name]).toMatchObject({
      outcome: wanted.outcome,
      why: expect.stringMatching(wanted.why),
    });
  },
);

test('every command and every day ended as expected', () => {
  const failing = Object.entries(traces.notes.ends).filter(([, code]) => code !== 0);
  expect(Object.fromEntries(failing)).toEqual({
    'token set, API token that is refused': 1,
    'a bounce': 200,
    'a bounce without a report': 422,
    'a forged bounce': 401,
    'an error nobody catches': 1,
    'a bot that is refused': 1,
    'doctor --json --report report.json': 1,
    'mail send-test me@example.org': 1,
    'poll --subscription later': 1,
    'poll --subscription later --dry-run --json': 1,
    'config check of faults': 2,
    'doctor with faults': 1,
  });
});

test('a token that the API repeats is removed from a posting, and its link is withheld', () => {
  const postings = traces.house.receiver.received.flatMap(({ body }) => body.data.postings);
  const good = postings.find(({ title }) => title === 'Harbour Pilot');
  const redactor = postings.find(({ title }) => title?.startsWith('Echo Pilot'));
  expect(good?.applyUrl).toBe(linkOf('Harbour'));
  expect(redactor?.title).toContain('your token [token taken out]');
  expect(redactor).not.toHaveProperty('applyUrl');
});

describe('the search', () => {
  test('finds a secret in every encoding', () => {
    const [{ value }] = CANARIES as [Canary];
    const forms = [
      `x${value}y`,
      encodeURIComponent(value),
      Buffer.from(`:${value}`).toString('base64'),
      Buffer.from(`::${value}.`).toString('base64url'),
      Buffer.from(value).toString('hex').toUpperCase(),
      JSON.stringify({ value }).replaceAll('/', '\\/'),
      value.slice(4, -4),
    ];
    for (const text of forms) expect(sightings(CANARIES, [{ name: 'here', text }]), text).not.toEqual([]);
    expect(sightings(CANARIES, [{ name: 'here', text: value.slice(-4) }])).toEqual([]);
  });

  // The searched places are what their names say: each contains what it must contain.
  test.each<[RegExp, string]>([
    [/^output of \d+, run$/u, '"poll recorded"'],
    [/^errors of \d+, run$/u, 'unexpected failure'],
    [/^output of \d+, run$/u, 'log level changed'],
    [/^output of \d+, run$/u, '"status":"5.1.1","kind":"address","msg":"bounce taken"'],
    [/^answer to a bounce$/u, '{"taken":1}'],
    [/^output of \d+, run$/u, 'a sink failed with an unexpected error'],
    [/^errors of \d+, config check$/u, 'HTTP_PORT: given'],
    [/^output of \d+, config dump --json$/u, '[secret]'],
    [/^output of \d+, subscriptions export$/u, 'id: later'],
    [/^command line of the service/u, 'main.js'],
    [/^page \/metrics/u, 'jobcrier_polls_total'],
    [/^page \/readyz/u, 'scheduler'],
    [/^admin page 2 while nothing works/u, 'unexpected failure (TypeError)'],
    [/^admin page 4 while nothing works/u, 'delivery failed'],
    [/^file data\/jobcrier\.sqlite-wal while all is well/u, '[token taken out]'],
    [/^file data\/jobcrier\.sqlite at the end/u, 'Harbour Pilot'],
    [/^file data\/jobcrier\.sqlite at the end/u, 'You are Bot [secret]'],
    [/^file copy\.sqlite/u, 'Harbour Pilot'],
    [/^file digest\/later\.html/u, 'Night Pilot'],
    [/^file preview\/digest\.html/u, 'href'],
    [/^file report\.json/u, 'jobs API'],
    [/^a mail, decoded/u, 'Harbour Pilot'],
    [/^a mail$/u, 'DKIM-Signature'],
    [/^a webhook call/u, 'webhook-signature'],
    [/^requests to Discord/u, 'Harbour Pilot'],
    [/^messages on Discord/u, 'does not accept this token'],
    [/^file .* on Discord/u, 'subscriptions'],
    [/^edition page/u, 'Harbour Pilot'],
    [/^feed page/u, 'Harbour Pilot'],
  ])('looks at %s, which holds %s', (name, text) => {
    const named = traces.notes.places.filter((place) => name.test(place.name));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((place) => place.text.includes(text)).length).toBeGreaterThan(0);
  });

  test('finds what a process passes to its children', async () => {
    const env = { HANDED: 'to a child' };
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', 'a-child'], { env });
    try {
      await until(() => childrenOf(process.pid).some(({ commandLine }) => commandLine.includes('a-child')));
      const seen = childrenOf(process.pid).find(({ pid }) => pid === child.pid);
      expect(seen?.environment).toContain('HANDED=to a child');
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('finds none of the secrets anywhere', () => {
    expect(traces.canaries.length).toBe(CANARIES.length + 1);
    expect(sightings(traces.canaries, traces.notes.places)).toEqual([]);
  });

  test('finds no key to a page and no key to an answer in logs or metrics', async () => {
    const { house, notes } = traces;
    const texts = (await house.mails()).map(({ html = '' }) => html);
    const pages = texts.flatMap((text) => [...text.matchAll(/crier\.example\.org\/\w+\/([\w.-]{20,})/gu)]);
    const keys = [
      ...pages.map(([, value = '']) => ({ name: 'link of a mail', value })),
      ...house.discord.interactions.map(({ token }) => ({ name: 'token of an interaction', value: token })),
    ];
    expect(keys.length).toBeGreaterThan(10);
    const logged = notes.places.filter(({ name }) =>
      /^(?:output|errors|admin page|page \/metrics)/u.test(name),
    );
    expect(sightings(keys, logged)).toEqual([]);
  });
});
