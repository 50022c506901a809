// An API that repeats the request in its answer hands out the token: it must get neither into postings nor into what
// is kept. A link that holds it is void, for a link leaves as it came or not at all.
import { afterEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { createKit, type Kit, serve } from './kit.js';

const TOKEN = 'Echo+token/7f3a9c==';
const GOOD = 'https://board.example/r/good__me?a=1';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function answering(body: string, headers: Record<string, string> = {}): Promise<Kit> {
  const server = await serve((_, response) => response.writeHead(200, headers).end(body));
  const kit = createKit(server.url);
  closers.push(server.close, kit.close);
  return kit;
}

const FORMS = [
  ['as it is', TOKEN],
  ['as an address writes it', encodeURIComponent(TOKEN)],
  ['in small letters', encodeURIComponent(TOKEN).toLowerCase()],
] as const;

const rss = (text: string) => `<rss><channel><link>https://board.example/listing?token=${text}</link>
<item><guid>${text}</guid><title>Rust ${text}</title><link>https://board.example/r/x__me?token=${text}</link>
<url>https://board.example/1?t=${text}</url><description>see ${text}</description><category>${text}</category><other>${text}</other></item>
<item><title>Good</title><link>${GOOD}</link></item></channel></rss>`;
const json = (text: string) =>
  JSON.stringify([
    `you asked with ${text}`,
    [
      {
        id: text,
        title: `Rust ${text}`,
        apply_url: `https://board.example/r/x__me?token=${text}`,
        other: [text],
      },
      { title: 'Good', apply_url: GOOD },
    ],
  ]);

describe.each([
  ['rss', rss],
  ['json', json],
] as const)('in %s', (format, feed) => {
  test.each(FORMS)('the token is taken out of postings and cache, %s', async (_how, text) => {
    const kit = await answering(feed(text));
    const request = { token: secret(TOKEN), format };
    const answer = await kit.fetch(request);
    const cached = await kit.fetch(request);
    expect(cached).toEqual(answer);
    const [echo, good] = answer.kind === 'postings' ? answer.postings.map(({ posting }) => posting) : [];
    expect(echo).toMatchObject({ title: 'Rust [token taken out]', badLink: true });
    expect(echo).not.toHaveProperty('applyUrl');
    expect(good).toMatchObject({ title: 'Good', applyUrl: GOOD });
    const kept = JSON.stringify([answer, [...kit.cache.rows], kit.logs]).toLowerCase();
    expect(kept).toContain('rust');
    expect(kept).not.toContain('7f3a9c');
    // Once, however often it is asked.
    await kit.fetch({ ...request, fresh: true });
    expect(kit.logs.map(({ level, fields }) => [level, fields])).toEqual([['warn', { account: 'alice' }]]);
  });
});

test('a version named after the token is not kept; another one is', async () => {
  const named = await answering(json('x'), {
    etag: `"${TOKEN}"`,
    'last-modified': encodeURIComponent(TOKEN),
  });
  const { validator } = await named.fetch({ token: secret(TOKEN), format: 'json' });
  expect(validator).toEqual({ hash: expect.any(String) });
  const other = await answering(json('x'), { etag: '"v1"' });
  expect((await other.fetch({ token: secret(TOKEN), format: 'json' })).validator).toMatchObject({
    etag: '"v1"',
  });
});

test('a token too short to be told from a word is left alone', async () => {
  const kit = await answering(json('rust'));
  const answer = await kit.fetch({ token: secret('rust'), format: 'json' });
  const [first] = answer.kind === 'postings' ? answer.postings : [];
  expect(first?.posting).toMatchObject({ title: 'Rust rust', applyUrl: expect.stringContaining('rust') });
});
