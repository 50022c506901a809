// How people type mail addresses, and what stands for an address where it must not be stored.
import { describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import {
  addressKeys,
  domainOf,
  isMail,
  oneMailbox,
  parseAddress,
  parseMailbox,
  verpAddress,
  verpToken,
} from '../../src/sinks/email/address.js';

const [first, second] = [1, 2].map((n) =>
  deriveKeys([secret(Buffer.alloc(32, n).toString('base64'))], 'mail'),
);

describe('an address', () => {
  const local64 = 'a'.repeat(64);
  const domain = `${`${'b'.repeat(62)}.`.repeat(3)}ex`;

  test.each([
    ['ann@example.org', 'ann@example.org'],
    ['  ann@example.org\n', 'ann@example.org'],
    [`${' '.repeat(380)}ann@example.org`, 'ann@example.org'],
    ['Ann.O+jobs@Example.ORG', 'Ann.O+jobs@example.org'],
    ["o'neil!#$%&*/=?^_`{|}~-x@example.org", "o'neil!#$%&*/=?^_`{|}~-x@example.org"],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['a@a-b.c9.io', 'a@a-b.c9.io'],
    [`${local64}@example.org`, `${local64}@example.org`],
    [`a@${'b'.repeat(63)}.org`, `a@${'b'.repeat(63)}.org`],
    [`${'a'.repeat(254 - 1 - domain.length)}@${domain}`, `${'a'.repeat(254 - 1 - domain.length)}@${domain}`],
  ])('%s is %s', (given, address) => {
    expect(parseAddress(given)).toBe(address);
  });

  test.each([
    undefined,
    7,
    '',
    'ann',
    '@example.org',
    'ann@',
    'ann@example',
    'ann@-example.org',
    'ann@example-.org',
    'ann@example.o',
    'ann@example.1org',
    'ann@ex_ample.org',
    'ann@127.0.0.1',
    '.ann@example.org',
    'ann.@example.org',
    'an..n@example.org',
    'an n@example.org',
    'ann@example.org,bob@example.org',
    'ann@example.org;bob@example.org',
    'ann@example.org\r\nBcc: bob@example.org',
    'Ann <ann@example.org>',
    '"ann"@example.org',
    'ann(x)@example.org',
    'änn@example.org',
    `a${local64}@example.org`,
    `a@${'b'.repeat(64)}.org`,
    `${'a'.repeat(255 - 1 - domain.length)}@${domain}`,
    `${' '.repeat(400)}a@example.org`,
  ])('%o is refused, and the error does not repeat it', (given) => {
    expect(() => parseAddress(given)).toThrow(
      /^email target: wanted one mail address such as you@example\.org\.$/u,
    );
  });

  test('has the last part as its domain', () => {
    expect(domainOf('odd@ann@Example.org')).toBe('example.org');
  });
});

test.each([
  ['Job crier <jobs@example.org>', { name: 'Job crier', address: 'jobs@example.org' }],
  ['"Job crier" <jobs@Example.org>', { name: 'Job crier', address: 'jobs@example.org' }],
  [' <jobs@example.org> ', { name: '', address: 'jobs@example.org' }],
  ['jobs@example.org', { name: '', address: 'jobs@example.org' }],
])('the mailbox %s has a name and an address', (text, mailbox) => {
  expect(parseMailbox(text)).toEqual(mailbox);
});

test.each(['Job crier jobs@example.org', 'Job <crier> <jobs@example.org>', 'a <b@example.org> c', '<>'])(
  'the mailbox %s is refused',
  (text) => {
    expect(() => parseMailbox(text)).toThrow(/^email target/u);
  },
);

test.each([
  ['Ann@example.org', 'ann@example.org'],
  ['ann+jobs@example.org', 'ann@example.org'],
  ['ann+jobs+more@example.org', 'ann@example.org'],
  ['+ann@example.org', '+ann@example.org'],
  ['a.n.n@example.org', 'a.n.n@example.org'],
  ['A.n.n+x@gmail.com', 'ann@gmail.com'],
  ['a.nn@googlemail.com', 'ann@gmail.com'],
])('%s counts as the mailbox %s', (address, mailbox) => {
  expect(oneMailbox(address)).toBe(mailbox);
});

test('a hash stands for an address: the same for each way to write it, another for each key', () => {
  const [one, ...none] = addressKeys(first ?? [], ' Ann@Example.org ');
  expect(none).toEqual([]);
  expect(one).toMatch(/^[0-9a-f]{32}$/u);
  expect(addressKeys(first ?? [], 'ann@example.org')).toEqual([one]);
  expect(addressKeys(first ?? [], 'bob@example.org')).not.toEqual([one]);
  const [other] = addressKeys(second ?? [], 'ann@example.org');
  expect(other).not.toBe(one);
  // The current key comes first.
  expect(addressKeys([...(second ?? []), ...(first ?? [])], 'ann@example.org')).toEqual([other, one]);
});

describe('the envelope sender of one reader', () => {
  const token = '0123456789abcdef'.repeat(2);

  test('has the token of the reader after a plus, or after a minus where there is a plus', () => {
    expect(verpAddress('bounce@example.org', token)).toBe(`bounce+b${token}@example.org`);
    expect(verpAddress('jobs+bounce@example.org', token)).toBe(`jobs+bounce-b${token}@example.org`);
  });

  test('stays without it where it would be longer than an address may be', () => {
    const longest = `${'a'.repeat(30)}@example.org`;
    expect(verpAddress(longest, token)).toBe(`${'a'.repeat(30)}+b${token}@example.org`);
    expect(verpAddress(`a${longest}`, token)).toBe(`a${longest}`);
  });

  test('shows the token when it comes back', () => {
    for (const bounce of ['bounce@example.org', 'jobs+bounce@example.org'])
      expect(verpToken(verpAddress(bounce, token))).toBe(token);
    expect(verpToken(`BOUNCE+B${token.toUpperCase()}@EXAMPLE.ORG`)).toBe(token);
    expect(verpToken('bounce@example.org')).toBeUndefined();
    expect(verpToken(`bounce+b${token}0@example.org`)).toBeUndefined();
    expect(verpToken(`bounceb${token}@example.org`)).toBeUndefined();
  });
});

test('a destination of this sink', () => {
  expect([{ sink: 'email' }, { sink: 'discord' }].map(isMail)).toEqual([true, false]);
});
