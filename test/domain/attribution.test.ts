// The guard is the last check before anything is sent. Each way to break a link rule must be detected in every output
// format, and no correct output may be stopped, whatever the postings contain.
import { describe, expect, test } from 'vitest';
import { ATTRIBUTION_NOTE, attributionFaults, startTags } from '../../src/domain/attribution.js';
import { usableLink } from '../../src/domain/posting.js';
import { escapeHtml, FORMATS, honest, LINK, LISTING, linked, NASTY, POSTING } from './honest-output.js';

describe.each(FORMATS)('%s', (format) => {
  test.each(NASTY)('accepts %s unchanged', (link) => {
    expect(usableLink(link)).toBe(true);
    expect(attributionFaults(honest(format, [link]), linked([link]))).toEqual([]);
  });

  test('accepts all of them together, also if one begins with another', () => {
    expect(attributionFaults(honest(format, NASTY), linked(NASTY))).toEqual([]);
  });

  test.each<[string, (link: string) => string, RegExp]>([
    ['appends a tracking parameter', (link) => `${link}&utm_source=jobcrier`, /missing or was altered/],
    ['appends a fragment', (link) => `${link}#jobcrier`, /missing or was altered/],
    ['drops the query', (link) => link.replace(/\?.*/u, ''), /missing or was altered/],
    ['adds a slash', (link) => link.replace('?', '/?'), /missing or was altered/],
    ['changes the scheme', (link) => link.replace('https:', 'http:'), /missing or was altered/],
    ['changes case', (link) => link.replace('/r/ab', '/r/AB'), /missing or was altered/],
    ['uses the listing address', () => LISTING, /listing address/],
    ['appends to the listing address', () => `${LISTING}?utm=1`, /listing address/],
    ['uses the listing address with a slash', () => `${LISTING}/`, /listing address/],
    ['wraps it', (link) => `https://track.example/?to=${encodeURIComponent(link)}`, /wrapped/],
    [
      'wraps it twice',
      (link) => `https://track.example/?to=${encodeURIComponent(encodeURIComponent(link))}`,
      /wrapped/,
    ],
    [
      'wraps it three times',
      (link) => `https://track.example/?to=${[1, 2, 3].reduce((text) => encodeURIComponent(text), link)}`,
      /wrapped/,
    ],
    [
      'wraps it without its scheme',
      (link) => `https://track.example/?to=${encodeURIComponent(link.slice(8))}`,
      /wrapped/,
    ],
    ['wraps it bare', (link) => `https://track.example/?to=${link}`, /missing or was altered/],
    ['puts a path before it', (link) => `https://track.example/${link}`, /missing or was altered/],
    ['leaves it out', () => 'https://jobs.example/', /missing or was altered/],
  ])('stops a sink that %s', (_name, change, fault) => {
    const output = honest(format, [change(LINK)]);
    expect(attributionFaults(output, [POSTING]).join('\n')).toMatch(fault);
    // The true link beside the altered one is no excuse.
    const both = attributionFaults(honest(format, [LINK, change(LINK)]), [POSTING]);
    if (change(LINK).includes('board.example')) expect(both).not.toEqual([]);
  });

  test('a posting without a link needs none, but its listing address must not replace it', () => {
    const { applyUrl: _gone, ...bare } = POSTING;
    expect(attributionFaults(honest(format, []), [bare])).toEqual([]);
    expect(attributionFaults(honest(format, [LISTING]), [bare]).join()).toMatch(/listing address/);
  });

  test('an address of another page of the board is no altered link', () => {
    const others = [
      LINK,
      'https://board.example/',
      'https://board.example/r/ab12__me2',
      'https://other.example/?to=a%2Fb',
      `${LISTING}-b`,
      `${LISTING}b?x=1`,
    ];
    expect(attributionFaults(honest(format, others), [POSTING])).toEqual([]);
  });

  test('accepts the front page of the board beside postings that differ only in the query', () => {
    const others = [
      'https://board.example/',
      'https://board.example',
      'https://board.example/a?b=1',
      'https://other.example/?to=https%3A%2F%2Fboard.example%2F',
    ];
    for (const link of ['https://board.example/?job=12', 'https://board.example?job=12']) {
      const postings = [{ key: 'id:1', applyUrl: link, url: 'https://board.example/' }];
      expect(attributionFaults(honest(format, [link, ...others]), postings)).toEqual([]);
      expect(attributionFaults(honest(format, [link, `${link}&utm=1`]), postings)).not.toEqual([]);
    }
  });

  test('finds an altered or wrapped link beside others, whatever its scheme', () => {
    const plain = 'http://board.example/r/cd34?ref=x';
    const two = linked([LINK, plain]);
    expect(attributionFaults(honest(format, [LINK, plain]), two)).toEqual([]);
    expect(attributionFaults(honest(format, [LINK, plain, `${plain}&utm=1`]), two)).toEqual([
      'an apply link was altered',
    ]);
    const wrapped = `https://track.example/?to=${encodeURIComponent(plain)}`;
    expect(attributionFaults(honest(format, [LINK, plain, wrapped]), two)).toEqual([
      'an apply link was wrapped in another address',
    ]);
  });

  test('a listing address that is not an address stops nothing', () => {
    const postings = ['rust', '', '/jobs/1', 'https://'].map((url) => ({ key: url, applyUrl: LINK, url }));
    expect(attributionFaults(honest(format, [LINK], 'rust /jobs/1 https://'), postings)).toEqual([]);
  });

  test('distinguishes a link that ends in a bracket from the link without it', () => {
    const two = ['https://board.example/r/x', 'https://board.example/r/x)'];
    expect(attributionFaults(honest(format, two), linked(two))).toEqual([]);
    expect(attributionFaults(honest(format, two.slice(1)), linked(two)).join()).toMatch(/id:0: .*missing/);
    expect(attributionFaults(honest(format, two.slice(0, 1)), linked(two)).join()).toMatch(/id:1: .*missing/);
  });

  test('letters that change length in lower case do not affect the search', () => {
    expect(attributionFaults(honest(format, [LINK], 'İİİ İzmir ŸẞK'), [POSTING])).toEqual([]);
  });
});

describe('HTML only', () => {
  const at = escapeHtml(LINK);
  test.each([
    ['a quoted rel', `<a href="${at}" rel="nofollow">x</a>`],
    ['one among others', `<a rel='noopener UGC' href="${at}">x</a>`],
    ['an unquoted one', `<a rel=sponsored href="${at}">x</a>`],
    ['an encoded one', `<a rel="no&#102;ollow" href="${at}">x</a>`],
    ['one after a > in an attribute', `<a title="a > b" href="${at}" rel="nofollow">x</a>`],
    ['one after a decoy', `<a title=" rel=noopener " href="${at}" rel="nofollow">x</a>`],
    ['one in capitals on another element', `<a href="${at}">x</a><AREA REL=NOFOLLOW href="/">`],
    ['a page-wide one', `<meta name="robots" content="noindex, nofollow"><a href="${at}">x</a>`],
    ['one inside a conditional comment', `<!--[if mso]><a rel="nofollow" href="${at}">x</a><![endif]-->`],
  ])('detects %s', (_name, body) => {
    expect(attributionFaults({ format: 'html', body }, [POSTING]).join()).toMatch(/carries/);
  });

  test.each(['rel="noopener noreferrer"', 'rel="follow"', '', 'data-rel="x" class="nofollow"'])(
    'accepts %j',
    (rel) => {
      expect(
        attributionFaults({ format: 'html', body: `<a href="${at}" ${rel}>nofollow</a>` }, [POSTING]),
      ).toEqual([]);
    },
  );

  test.each([
    `<a href="${at}">${at}</a>`,
    `<area href="${at}">`,
    `<a href="${at}" title="see ${at} now">x</a>`,
    `<meta name="robots" content="index" data-x="nofollow"><a href="${at}">x</a>`,
    `<meta name="description" content="nofollow"><a href="${at}">robots</a>`,
    `<div class="robots" content="nofollow"><a href="${at}">x</a>`,
  ])('accepts %s', (body) => {
    expect(attributionFaults({ format: 'html', body }, [POSTING])).toEqual([]);
  });

  test.each([`<link href="${at}">`, `<a title="${at}">x</a>`, `<base href="${at}"><a href="/">x</a>`])(
    'a reader can follow no link in %s',
    (body) => {
      expect(attributionFaults({ format: 'html', body }, [POSTING])).toEqual([
        'posting id:1: its apply link is missing or was altered',
      ]);
    },
  );

  test('a tag ends the address before it', () => {
    const body = `<a href="${at}">x</a><p>${LISTING}<br>More</p>`;
    expect(attributionFaults({ format: 'html', body }, [POSTING]).join()).toMatch(/listing address/);
  });

  test('quotes only the start of a long rel', () => {
    const body = `<a href="${at}" rel="nofollow ${'x'.repeat(500)}">x</a>`;
    expect(attributionFaults({ format: 'html', body }, [POSTING]).join().length).toBeLessThan(100);
  });

  test('its tags are read with their names and attributes', () => {
    const html = `<A HREF="x&amp;y" disabled rel='a' n=1>text<!-- <br/> --></a>`;
    expect(startTags(html)).toEqual([
      {
        name: 'a',
        attributes: [
          ['href', 'x&y'],
          ['disabled', ''],
          ['rel', 'a'],
          ['n', '1'],
        ],
      },
      { name: 'br', attributes: [] },
    ]);
    expect(startTags('text')).toEqual([]);
  });

  test('reports a ping attribute, which tracks a link without changing it', () => {
    const body = `<a href="${at}" ping="https://t.example/">x</a>`;
    expect(attributionFaults({ format: 'html', body }, [POSTING])).toEqual([
      'a link is tracked by a ping attribute',
    ]);
  });

  test.each(['\n', ' ', '&#10;'])('an address with %j around it is another address', (around) => {
    for (const body of [`<a href="${around}${at}">x</a>`, `<a href="${at}${around}">x</a>`])
      expect(attributionFaults({ format: 'html', body }, [POSTING]).join()).toMatch(/missing/);
  });

  test('checks a repeated tag once, and also another tag beside it', () => {
    const good = `<a href="${at}">x</a>`;
    const bad = `<a href="${at}&amp;utm=1">x</a>`;
    expect(attributionFaults({ format: 'html', body: good + good }, [POSTING])).toEqual([]);
    expect(attributionFaults({ format: 'html', body: good + bad + good + bad }, [POSTING])).toEqual([
      'an apply link was altered',
    ]);
  });

  test('an address that is only shown is no link', () => {
    expect(attributionFaults({ format: 'html', body: `<p>${at}</p>` }, [POSTING]).join()).toMatch(/missing/);
  });

  test('an unescaped ampersand that changes the meaning is an altered link', () => {
    const link = 'https://board.example/r/x?a=1&amp;b=2';
    const body = `<a href="${link}">x</a>`;
    expect(attributionFaults({ format: 'html', body }, linked([link]))).not.toEqual([]);
    // The other way round: what only looks like an entity is none in an attribute.
    const plain = 'https://board.example/r/x?a=1&copy=2';
    expect(attributionFaults({ format: 'html', body: `<a href="${plain}">x</a>` }, linked([plain]))).toEqual(
      [],
    );
  });
});

describe('text and JSON', () => {
  test('finds a wrapped link without slashes on any line, beside lines with addresses', () => {
    const wrapped = `open?to=${encodeURIComponent(LINK.slice(8))}`;
    const lines = [LINK, '100 %', 'https://other.example/a'];
    for (const at of [0, 1, 2, 3]) {
      const body = [...lines.toSpliced(at, 0, wrapped), 'words', ATTRIBUTION_NOTE].join('\n');
      expect(attributionFaults({ format: 'text', note: ATTRIBUTION_NOTE, body }, [POSTING])).toEqual([
        'an apply link was wrapped in another address',
      ]);
    }
  });

  test.each(['text', 'json'] as const)('%s needs the complete note', (format) => {
    const output = honest(format, [LINK]);
    expect(attributionFaults({ format, body: output.body }, [POSTING])).toEqual([
      'the attribution note is missing',
    ]);
    expect(attributionFaults({ ...output, note: 'Another note, long enough to be one.' }, [POSTING])).toEqual(
      ['the attribution note is missing'],
    );
    expect(attributionFaults({ ...output, note: 'e' }, [POSTING])).toEqual([
      'the attribution note is missing',
    ]);
    const wrapped = output.body.replace(ATTRIBUTION_NOTE, ATTRIBUTION_NOTE.replace(': ', ':\\n  '));
    if (format === 'json')
      expect(attributionFaults({ format, note: ATTRIBUTION_NOTE, body: wrapped }, [POSTING])).toEqual([]);
  });

  test('the note has at least twenty characters, and may be broken into lines', () => {
    const faults = (note: string, shown: string) =>
      attributionFaults({ format: 'text', note, body: `${LINK}\n${shown}` }, [POSTING]);
    expect(faults('x'.repeat(20), 'x'.repeat(20))).toEqual([]);
    expect(faults('x'.repeat(19), 'x'.repeat(19))).toEqual(['the attribution note is missing']);
    expect(faults(` ${ATTRIBUTION_NOTE}\n`, ATTRIBUTION_NOTE.replaceAll(' ', '\n  '))).toEqual([]);
  });

  test('a listing address before the link is found', () => {
    const body = `${LISTING} ${LINK}\n${ATTRIBUTION_NOTE}`;
    expect(attributionFaults({ format: 'text', note: ATTRIBUTION_NOTE, body }, [POSTING])).toEqual([
      'posting id:1: its listing address replaces the apply link',
    ]);
  });

  test('JSON may have other values, and words around a link', () => {
    const body = JSON.stringify({ note: ATTRIBUTION_NOTE, of: [null, 1, true], words: `Apply: ${LINK}` });
    expect(attributionFaults({ format: 'json', note: ATTRIBUTION_NOTE, body }, [POSTING])).toEqual([]);
    const plain = linked(['http://board.example/r/x']);
    expect(attributionFaults(honest('json', ['http://board.example/r/x.']), plain)).not.toEqual([]);
  });

  test('needs no note without a link', () => {
    expect(attributionFaults({ format: 'text', body: 'Nothing to apply to.' }, [{ key: 'id:1' }])).toEqual(
      [],
    );
  });

  test.each([
    `[Apply](${LINK})`,
    `[Apply](<${LINK}>) · more`,
    `"${LINK}"`,
    `See ${LINK}.`,
    `(${LINK})`,
    `|${LINK}|Company|`,
    `\u001b[36m${LINK}\u001b[39m`,
  ])('finds the link in %j', (words) => {
    expect(
      attributionFaults({ format: 'text', note: ATTRIBUTION_NOTE, body: `${words}\n${ATTRIBUTION_NOTE}` }, [
        POSTING,
      ]),
    ).toEqual([]);
  });

  test.each([`${LINK},utm=1`, `${LINK})&utm=1`, `${LINK}'x`, `x=${LINK}`, `<a href="${LINK}&x=1">`])(
    'is not fooled by %j',
    (words) => {
      expect(
        attributionFaults({ format: 'text', note: ATTRIBUTION_NOTE, body: `${words}\n${ATTRIBUTION_NOTE}` }, [
          POSTING,
        ]),
      ).not.toEqual([]);
    },
  );

  test.each(['.', ')', ' ', '?'])('in JSON, an address followed by %j is another address', (tail) => {
    expect(attributionFaults(honest('json', [`${LINK}${tail}`]), [POSTING])).not.toEqual([]);
  });

  test('a body that is no JSON is a fault, not an exception', () => {
    expect(attributionFaults({ format: 'json', body: '{', note: ATTRIBUTION_NOTE }, [POSTING])).toContain(
      'the output is not JSON',
    );
  });
});
