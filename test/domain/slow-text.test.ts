// Malicious texts that are slow to read: each is tested at a size at which anything quadratic would take minutes, far
// beyond the timeout of a test.
import { expect, test } from 'vitest';
import { readApplyBy } from '../../src/domain/apply-by.js';
import { attributionFaults } from '../../src/domain/attribution.js';
import { countryOfLocation, nearestCountries, resolveCountry } from '../../src/domain/countries.js';
import { parseFilter } from '../../src/domain/filter.js';
import { parsePay, parseUnit } from '../../src/domain/pay.js';
import { idInLink, keysMeant, usableLink } from '../../src/domain/posting.js';
import { parseRetryAfter } from '../../src/domain/retry.js';
import {
  decodeOnce,
  ellipsis,
  oneLine,
  plainText,
  snippet,
  withoutAddresses,
  withoutLinks,
} from '../../src/domain/text.js';
import { wantedPay } from '../../src/domain/wanted-pay.js';
import { readWords } from '../../src/domain/word-list.js';
import { escaped } from '../../src/render/discord/escape.js';
import { decodeText } from '../../src/sources/jobs-api/decode.js';

const SIZE = 60_000;
const PIECES = [
  '<',
  '<a',
  '<script',
  '<script>',
  '</script ',
  '<!--',
  '<![CDATA[',
  '<p class="',
  '&',
  '&#',
  '&amp',
  '&amp;lt;',
  ' ',
  '\n',
  ' \n',
  '\t ',
  ',',
  ', ',
  '.',
  'a.',
  'a.b',
  '1.',
  '1',
  '1 ',
  '1-',
  '1,000 ',
  '$',
  '$1',
  '€1k-',
  'R 4 ',
  '(1',
  '@',
  'a@',
  'a@b.',
  'http',
  'http://',
  'https://a/r/',
  '/r/',
  'www.',
  '\\',
  '*',
  '_*',
  '`',
  '[',
  '](',
  '>',
  '#',
  'when applying ',
  'mention the word ',
  'when applying mention the word ',
  'per ',
  'remote ',
  'apply by ',
  'application ',
  'applications must be ',
  'bewerbung bitte ',
  'fecha límite para la presentación de ',
  'deadline\n',
  'é',
  'e\u0301',
  '\u200b',
  '\u202e',
  '\ud83d\ude00',
  '\ud800',
  '"',
  "'",
  '="',
  '{',
  '{{',
  '%25',
  '%',
  'İ',
];

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  readApplyBy: (text) => readApplyBy(`2026 ${text}`),
  plainText,
  snippet,
  decodeOnce,
  oneLine,
  withoutAddresses,
  withoutLinks,
  ellipsis: (text) => ellipsis(text, 280),
  parsePay,
  parseUnit,
  wantedPay,
  idInLink,
  usableLink,
  keysMeant,
  parseRetryAfter: (text) => parseRetryAfter(text, 0),
  escaped: (text) => escaped(text, 200),
  readWords,
  resolveCountry,
  nearestCountries,
  countryOfLocation,
  parseFilter: (text) => {
    try {
      parseFilter({ tags: [text], include: [text], country: text, minSalary: text });
    } catch {}
  },
  decodeText: (text) => decodeText(Buffer.from(text), `text/xml; charset=${text.slice(0, 16_000)}`),
  'the link rules, in HTML': (text) => attributionFaults({ format: 'html', body: text }, []),
  'the link rules, in text': (text) => attributionFaults({ format: 'text', body: text, note: '' }, []),
};

test.each(Object.keys(READERS))(
  '%s reads all of them quickly',
  { tags: 'long', timeout: 180_000 },
  (name) => {
    for (const piece of PIECES) {
      const text = piece.repeat(Math.ceil(SIZE / piece.length));
      READERS[name]?.(text);
      READERS[name]?.(`${text}x`);
    }
    expect.assertions(0);
  },
);
