// Postings and deliveries for the sink contract: a plain one, links that are easily altered, and hostile ones.
import { attributionFaults, type Output } from '../../src/domain/attribution.js';
import { type EditionPosting, editionId } from '../../src/domain/edition.js';
import { DeliveryError } from '../../src/domain/errors.js';
import { destinationId } from '../../src/domain/subscription.js';
import type { Delivery, DeliveryContext, Sink } from '../../src/ports/sink.js';

/** Links that contain every character that is easily lost on the way. */
export const NASTY_LINKS = [
  'https://board.example/r/x1__me?a=1&b=2&amp;c',
  'https://board.example/r/x2__me?q=日本&ü=ß',
  'https://board.example/r/x3%20y%2Fz?back=https%3A%2F%2Fother.example%2F',
  'https://board.example/r/rust_(language)?v=(1)',
  'https://board.example/r/x5?q=%22quoted%22&r=%27',
  'https://board.example/r/x6?a=b|c',
  'https://board.example/r/x7__me__?a_b=*c*~d~',
  'https://board.example/r/x8?a=[1]&b={2}',
];

/** A posting as the pipeline hands it on. */
export function contractPosting(n: number, fields: Partial<EditionPosting> = {}): EditionPosting {
  return {
    key: `id:${n}`,
    id: String(n),
    title: `Senior Rust Engineer ${n}`,
    company: 'Acme Labs',
    location: 'Berlin, Germany',
    remote: true,
    description: 'Build zero-knowledge provers with a small team.',
    tags: ['rust', 'zero-knowledge'],
    applyUrl: `https://board.example/r/${n}__me?ref=a&x=${n}`,
    url: `https://board.example/jobs/${n}`,
    salary: '$80k - 120k',
    postedAt: '2026-01-05',
    matched: ['rust'],
    ...fields,
  };
}

/** Postings as a malicious publisher writes them. */
export const HOSTILE: readonly EditionPosting[] = [
  contractPosting(1, {
    title: '@everyone <@1> [free](javascript:alert(1)) <script>alert(1)</script> ]]> \u001b[31m\u202egnp',
    company: 'Evil\r\nBcc: victim@example.org',
    location: '\u200b\u2066"><img src=x onerror=alert(1)>',
    tags: ['<b>', '"&amp;', '`'],
    salary: '{{ 7 | times: 6 }} <%= 7 %> %s',
    description: '<img src=x onerror=alert(1)> see https://board.example/jobs/1 ```',
  }),
  contractPosting(2, {
    title: 'x'.repeat(4_000),
    company: '🧪'.repeat(2_000),
    description: 'y '.repeat(5_000),
  }),
  contractPosting(3, { title: 'עברית العربية', matched: ['*', '_'] }),
  // Only a key, and a link that could not be used.
  { key: 'id:4', badLink: true, url: 'https://board.example/jobs/4', matched: [] },
  contractPosting(5, { title: 'See https://board.example/jobs/5 or www.evil.example' }),
];

/** A delivery to `target` as the pipeline makes one; fields given replace the defaults. */
export function contractDelivery(sink: Sink, target: string, fields: Partial<Delivery> = {}): Delivery {
  const postings = fields.postings ?? [contractPosting(1)];
  const id = destinationId(sink.name, target);
  return {
    edition: editionId(
      'rust',
      id,
      1,
      postings.map((posting) => posting.key),
    ),
    subscription: 'rust',
    account: 'operator',
    destination: {
      id,
      sink: sink.name,
      target,
      cadence: { every: 'immediate', timezone: 'Europe/Berlin' },
      consented: true,
    },
    every: 'immediate',
    from: Date.parse('2026-01-05T08:00:00Z'),
    slot: Date.parse('2026-01-05T09:00:00Z'),
    part: 0,
    parts: 1,
    postings,
    more: 0,
    source: 'Example Board',
    about: 'Rust, remote',
    locale: 'en',
    attempt: 1,
    ...fields,
  };
}

/** The pipeline's guard for `postings`. It keeps what it was shown. */
export function realGuard(
  postings: readonly EditionPosting[],
  signal = new AbortController().signal,
): DeliveryContext & { readonly seen: Output[] } {
  const seen: Output[] = [];
  return {
    signal,
    seen,
    guard(output, keys) {
      seen.push(output);
      const shown = postings.filter(({ key }) => keys?.includes(key) ?? true);
      const faults = attributionFaults(output, shown);
      if (faults.length > 0) throw new DeliveryError('content', faults.join('; '));
    },
  };
}
