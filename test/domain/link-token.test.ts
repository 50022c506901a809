// Link tokens: a forged, copied, old or damaged one has no effect.
import { describe, expect, test } from 'vitest';
import {
  createLinks,
  deriveKeys,
  type LinkClaim,
  type LinkPurpose,
  readLink,
  signLink,
} from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';

const NOW = Date.UTC(2026, 10, 23);
const DAY = 86_400_000;
const keys = deriveKeys([secret('first key')], 'link');
const claim: LinkClaim = {
  purpose: 'unsubscribe',
  account: 'discord:123',
  subscription: 'rust-remote',
  destination: 'abc',
  epoch: 2,
};

describe('a token', () => {
  test('contains what it was made from', () => {
    expect(readLink(keys, 'unsubscribe', signLink(keys, claim), NOW)).toEqual(claim);
    const short: LinkClaim = { purpose: 'feed', account: 'operator', epoch: 0 };
    expect(readLink(keys, 'feed', signLink(keys, short), NOW)).toStrictEqual(short);
    const long: LinkClaim = { ...claim, edition: 'e1', posting: 'id:1', expiresAt: NOW + DAY };
    expect(readLink(keys, 'unsubscribe', signLink(keys, long), NOW)).toStrictEqual(long);
    const odd = signLink(keys, { ...long, expiresAt: NOW + 1999 });
    expect(readLink(keys, 'unsubscribe', odd, NOW)?.expiresAt).toBe(NOW + 1000);
  });

  test('needs a key', () => {
    expect(() => signLink([], claim)).toThrow('no key to sign links with');
    expect(readLink([], 'unsubscribe', signLink(keys, claim), NOW)).toBeUndefined();
  });

  test.each([
    ['unsubscribe', undefined],
    ['resubscribe', 30 * DAY],
    ['preferences', 30 * DAY],
    ['manage', 15 * 60_000],
    ['feed', undefined],
    ['feedback', 30 * DAY],
  ] as const)('in a link of the kind %s has its purpose and is valid for %s ms', (purpose, life) => {
    const about = { account: 'a', epoch: 0, edition: 'e', posting: 'p' };
    const address = createLinks(keys, 'https://a.example')[purpose]({ ...about, now: NOW });
    const [path, token] = address.slice('https://a.example/'.length).split('/') as [string, string];
    expect(path).toBe(purpose);
    expect(readLink(keys, purpose, token, NOW)).toStrictEqual({
      ...about,
      purpose,
      ...(life && { expiresAt: NOW + life }),
    });
  });

  test('does not reveal its content, not even by equal parts in two tokens', () => {
    const token = signLink(keys, claim);
    expect(Buffer.from(token.split('.')[1]!, 'base64url').toString('latin1')).not.toMatch(
      /discord|rust|123/u,
    );
    expect(signLink(keys, claim)).toBe(token);
    const other = signLink(keys, { ...claim, destination: 'abd' });
    expect(other.slice(5, 40)).not.toBe(token.slice(5, 40));
  });

  test('consists of characters that need no escaping and fits into a header line', () => {
    const token = signLink(keys, { ...claim, edition: 'x'.repeat(20), expiresAt: NOW });
    expect(token).toMatch(/^[\w.-]+$/u);
    expect(token.length).toBeLessThan(300);
  });

  const purposes: LinkPurpose[] = [
    'unsubscribe',
    'resubscribe',
    'preferences',
    'manage',
    'edition',
    'feed',
    'feedback',
  ];

  test.each(purposes)('for the purpose %s opens no other page', (purpose) => {
    const token = signLink(keys, { ...claim, purpose });
    for (const other of purposes)
      expect(readLink(keys, other, token, NOW) !== undefined).toBe(other === purpose);
  });

  test('expires', () => {
    const token = signLink(keys, { ...claim, expiresAt: NOW + 30 * DAY });
    expect(readLink(keys, 'unsubscribe', token, NOW + 30 * DAY - 1)).toBeDefined();
    expect(readLink(keys, 'unsubscribe', token, NOW + 30 * DAY)).toBeUndefined();
  });

  test('is refused if any of its characters is changed', () => {
    const token = signLink(keys, claim);
    for (let at = 0; at < token.length; at++)
      for (const other of ['A', 'B', '.', '=', '%']) {
        if (token[at] === other) continue;
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect(readLink(keys, 'unsubscribe', changed, NOW), `${at} ${other}`).toBeUndefined();
      }
  });

  test.each([
    '',
    '.',
    '..',
    '...',
    'a.b.c',
    `${signLink(keys, claim)}.x`,
    ` ${signLink(keys, claim)}`,
    'x'.repeat(5000),
  ])('of the form %j is refused', (token) => {
    expect(readLink(keys, 'unsubscribe', token, NOW)).toBeUndefined();
  });
});

describe('keys', () => {
  const second = secret('second key');

  test('rotate: the first signs, all are accepted, a dropped one is not', () => {
    const token = signLink(keys, claim);
    const rotated = deriveKeys([second, secret('first key')], 'link');
    expect(readLink(rotated, 'unsubscribe', token, NOW)).toEqual(claim);
    expect(readLink(keys, 'unsubscribe', signLink(rotated, claim), NOW)).toBeUndefined();
    expect(readLink(deriveKeys([second], 'link'), 'unsubscribe', token, NOW)).toBeUndefined();
  });

  test('are different for every use, and their ids do not reveal them', () => {
    const [link] = deriveKeys([second], 'link');
    const [mail] = deriveKeys([second], 'mail');
    expect(link!.key.equals(mail!.key)).toBe(false);
    expect(link!.id).not.toBe(mail!.id);
    expect(
      readLink(
        deriveKeys([second], 'mail'),
        'unsubscribe',
        signLink(deriveKeys([second], 'link'), claim),
        NOW,
      ),
    ).toBeUndefined();
  });
});

test('pages: unsubscribing never expires; preferences and web view expire after 30 days', () => {
  const links = createLinks(keys, 'https://crier.example.org');
  const subject = { account: 'a', subscription: 's', destination: 'd', epoch: 1, now: NOW };
  const tokenOf = (url: string, path: string) => {
    expect(url.startsWith(`https://crier.example.org/${path}/`)).toBe(true);
    return url.slice(url.lastIndexOf('/') + 1);
  };
  const later = NOW + 31 * DAY;
  expect(
    readLink(keys, 'unsubscribe', tokenOf(links.unsubscribe(subject), 'unsubscribe'), later),
  ).toBeDefined();
  expect(readLink(keys, 'feed', tokenOf(links.feed(subject), 'feed'), later)).toBeDefined();
  for (const [url, path, purpose] of [
    [links.preferences(subject), 'preferences', 'preferences'],
    [links.resubscribe({ ...subject, edition: 'any' }), 'resubscribe', 'resubscribe'],
    [links.edition({ ...subject, edition: 'e' }), 'editions', 'edition'],
    [links.feedback({ ...subject, edition: 'e', posting: 'p' }), 'feedback', 'feedback'],
  ] as const) {
    expect(readLink(keys, purpose, tokenOf(url, path), NOW + 29 * DAY)).toBeDefined();
    expect(readLink(keys, purpose, tokenOf(url, path), later)).toBeUndefined();
  }
  expect(links.confirm('abc')).toBe('https://crier.example.org/confirm/abc');
});
