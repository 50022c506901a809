// Owners read notices in their language, and the English sentence if there is no translation.
import { describe, expect, test } from 'vitest';
import type { Notice } from '../../src/ports/notice.js';
import { plainCommands } from '../../src/render/commands.js';
import { type Fix, fixOf, renderNotice } from '../../src/render/notice.js';
import { LANGUAGES, textsFor } from '../../src/render/texts.js';

const base = { subject: 's', account: 'discord:1', text: 'The English sentence.' } as const;
const notices: Notice[] = [
  { ...base, kind: 'token', data: { source: 'jobs.example' } },
  { ...base, kind: 'destination', data: { sink: 'discord' } },
  { ...base, kind: 'posting', data: { sink: 'email', count: 1 } },
  { ...base, kind: 'expired', data: { sink: 'webhook', count: 7 } },
  { ...base, kind: 'gap' },
  { ...base, kind: 'gap', data: { tags: 'solidity, java' } },
  { ...base, kind: 'keys' },
  { ...base, kind: 'silence', data: { days: 14 } },
  { ...base, kind: 'load', data: { requests: 2000, minutes: 60 } },
  { ...base, kind: 'left', data: { count: 3, days: 30 } },
];

describe.each(notices)('$kind', (notice) => {
  test.each(Object.keys(LANGUAGES))('contains the values and a command that fixes it, in %s', (locale) => {
    const text = renderNotice(notice, locale);
    if (locale !== 'en') expect(text).not.toBe(notice.text);
    if (text === notice.text) return;
    const { source, count, days, tags } = notice.data ?? {};
    for (const value of [source, notice.kind === 'posting' ? undefined : count, days, tags])
      if (value !== undefined) expect(text).toContain(String(value));
  });
});

test('uses English for an unknown locale', () => {
  expect(renderNotice(notices[0] as Notice, 'xx')).toContain('jobs.example');
});

test.each<Partial<Notice>>([
  { kind: 'store' },
  { kind: 'mail' },
  { kind: 'token' },
  { kind: 'silence', data: { days: 'many' } },
  { kind: 'expired', data: { sink: 'discord' } },
])('keeps the sentence of a notice without a translation: %o', (change) => {
  expect(renderNotice({ ...base, kind: 'gap', ...change }, 'de')).toBe(base.text);
});

test('keeps the precise English reason of a destination without a text', () => {
  expect(renderNotice(notices[1] as Notice, 'en-US')).toBe(base.text);
});

describe('a parked place', () => {
  const fixes = Object.keys(textsFor('en').notice.fix);

  test.each(fixes.flatMap((fix) => ['en', 'de', 'es'].map((locale) => [fix, locale] as const)))(
    '%s has its own text in %s, after the name of the subscription',
    (fix, locale) => {
      const data = { sink: 'discord', fix, about: 'Rust, remote' };
      const text = renderNotice({ ...base, kind: 'destination', data }, locale);
      expect(text).toBe(`Rust, remote: ${textsFor(locale).notice.fix[fix as Fix]}`);
    },
  );

  test('by a name of a later version has the text that all of them share', () => {
    const data = { sink: 'discord', fix: 'toString', about: 'x'.repeat(500) };
    const text = renderNotice({ ...base, kind: 'destination', data }, 'de');
    expect(text).toMatch(/^x{199}…: Zustellungen über Discord sind angehalten/u);
  });

  test('has an error with the name and its English text, with plain commands', () => {
    expect(fixOf('channelGone')).toEqual({
      fix: 'channelGone',
      forOwner:
        'The Discord channel no longer exists. Choose another one with /jobs edit, or remove the subscription.',
    });
  });
});

test("commands have the names that the reader's Discord shows, where no button is possible", () => {
  expect(plainCommands('Nutze {/jobs resume} oder {/help}.', textsFor('de'))).toBe(
    'Nutze /jobs fortsetzen oder /hilfe.',
  );
});
