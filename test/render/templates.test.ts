// Templates as an operator uses them: changed while the service runs, sometimes with faults. A mail must be sent
// whatever the folder contains.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { caniemail } from 'caniemail';
import { HtmlValidate } from 'html-validate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Brand } from '../../src/render/brand.js';
import { type DigestView, digestView } from '../../src/render/digest-view.js';
import { samplePages } from '../../src/render/sample-pages.js';
import { SAMPLE_LINKS, sampleDelivery, sampleMails } from '../../src/render/samples.js';
import { createTemplates, type MailKind, type Samples, type Templates } from '../../src/render/templates.js';
import { keptLog, TEMPLATES } from '../helpers/mail.js';

const samples = { mails: sampleMails(), pages: samplePages() };
const digest = samples.mails.digest![0]!;

let mine: string;
let log: ReturnType<typeof keptLog>;

beforeEach(async () => {
  mine = await mkdtemp(join(tmpdir(), 'crier-templates-'));
  log = keptLog();
});

afterEach(() => rm(mine, { recursive: true, force: true }));

/** Enough for edits of the digest, which each need several trials. */
const digests = { mails: { digest: samples.mails.digest! }, pages: {} };
/** Enough for edits that no digest survives. */
const oneDigest = { mails: { digest: [digest] }, pages: {} };

function open(tried: Samples = samples): Templates {
  return createTemplates({ dirs: [TEMPLATES, mine], log, samples: tried, checkMs: 0 });
}

/** The program's own templates, for tests that edit none. */
const shipped = createTemplates({ dirs: [TEMPLATES], log: keptLog(), samples });

async function put(name: string, text: string): Promise<void> {
  const path = join(mine, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const errors = () => log.lines.filter((line) => line.includes('"level":"error"'));

test('no HTML has an empty line and no text has two, however many a template leaves', async () => {
  await put('mail/brand.html.liquid', '\n\n\n\n\n{% if brand %}\n\n\n{{ brand.name }}\n\n\n{% endif %}\n\n');
  await put('mail/footer.text.liquid', '{{ note }}\n\n\n\n\n\n{{ why }}');
  const { html, text } = open(oneDigest).render('digest', 'en', digest);
  expect(errors()).toEqual([]);
  expect(html).toMatch(/<td class="top"[^>]*>\n\w+\n<\/td>/u);
  expect(html).not.toContain('\n\n');
  const { note, why } = digest as DigestView;
  expect(text).toContain(`${note}\n\n${why}`);
  expect(text).not.toContain('\n\n\n');
});

describe("an operator's folder", () => {
  test('replaces file by file, and the rest is kept', async () => {
    await put('mail/digest.subject.liquid', 'Hear ye: {{ title }}');
    const { subject, html } = open(digests).render('digest', 'en', digest);
    expect(subject).toBe('Hear ye: 10 new postings');
    expect(html).toContain('<h1');
  });

  test('is read again when a file changes, appears or disappears', async () => {
    const templates = open(digests);
    const subject = () => templates.render('digest', 'en', digest).subject;
    const original = subject();
    await put('mail/digest.subject.liquid', 'One {{ title }}');
    expect(subject()).toBe('One 10 new postings');
    await put('mail/digest.subject.liquid', 'Another {{ title }}');
    expect(subject()).toBe('Another 10 new postings');
    await rm(join(mine, 'mail/digest.subject.liquid'));
    expect(subject()).toBe(original);
    expect(errors()).toEqual([]);
  });

  test('may bring its own CSS, which is copied into the tags', async () => {
    await put('mail/inline.css', '.h1 { color: #123456; }');
    expect(open(digests).render('digest', 'en', digest).html).toMatch(
      /<h1 class="h1" style="color:\s?#123456"/u,
    );
  });

  test('may not have other selectors in it: the last good version is used', async () => {
    await put('mail/inline.css', '.h1 { color: #123456; }\nh1 { margin: 0 }');
    const templates = open(digests);
    expect(templates.render('digest', 'en', digest).html).toMatch(/<h1 class="h1" style="margin:2px 0 0/u);
    expect(templates.lint()).toEqual([
      {
        file: 'mail/inline.css',
        line: 2,
        reason: '"h1" is no plain class selector such as .title; what is not belongs into mail/head.css',
      },
    ]);
  });

  test('is not tested when it is empty; an edit is tested once', async () => {
    let trials = 0;
    const counted = {
      ...samples,
      get mails() {
        trials++;
        return samples.mails;
      },
    };
    createTemplates({ dirs: [TEMPLATES, mine], log, samples: counted });
    expect(trials).toBe(0);
    await put('mail/digest.subject.liquid', 'Mine {{ title }}');
    const templates = createTemplates({ dirs: [TEMPLATES, mine], log, samples: counted });
    expect(templates.render('digest', 'en', digest).subject).toBe('Mine 10 new postings');
    expect(trials).toBe(1);
  });

  test("may be the program's own folder: then a broken edit ends the start and names the place", {
    tags: 'long',
  }, async () => {
    await cp(TEMPLATES, mine, { recursive: true });
    const start = () => createTemplates({ dirs: [mine, join(mine, 'mail', '..')], log, samples });
    expect(start().render('digest', 'en', digest).html).toContain('<h1');
    await put('mail/digest.text.liquid', 'ok\n{{ titel }}');
    expect(start).toThrow(/mail\/digest\.text\.liquid, line 2: .*titel/);
  });

  test('need not exist', async () => {
    const templates = createTemplates({ dirs: [TEMPLATES, join(mine, 'none')], log, samples });
    expect(templates.render('notice', 'en', samples.mails.notice![0]!).subject).toContain('need attention');
  });
});

/** A text part that keeps the link rules, with another first line. */
const whole = (first: string) => `${first}\n{% render 'mail/postings.text', groups: groups %}\n{{ note }}\n`;
const firstLine = (text: string) => text.split('\n')[0];

const BROKEN: readonly (readonly [string, string, number])[] = [
  ['an unclosed tag', 'ok\n{% if title %}never closed', 2],
  ['an unknown tag', 'ok\n\n{% frobnicate %}', 3],
  ['a misspelt name', 'ok\n{{ titel }}', 2],
  ['a misspelt field', '{% for group in groups %}\n{{ group.titel }}\n{% endfor %}', 2],
  ['an unknown filter', 'ok\n{{ title | shout }}', 2],
  ['unescaped output', 'ok\nok\n{{ title | raw }}', 3],
  ['a partial that is missing', "ok\n{% render 'mail/none.html' %}", 2],
];

describe('a broken edit', () => {
  test.each(BROKEN)(
    'with %s keeps the last good version and reports the place',
    { tags: 'long' },
    async (_what, text, line) => {
      const templates = open(oneDigest);
      await put('mail/digest.text.liquid', whole('Good {{ title }}'));
      expect(firstLine(templates.render('digest', 'en', digest).text)).toBe('Good 10 new postings');
      await put('mail/digest.text.liquid', text);
      expect(firstLine(templates.render('digest', 'en', digest).text)).toBe('Good 10 new postings');
      expect(templates.render('digest', 'en', digest).html).toContain('<h1');
      expect(errors()).toHaveLength(1);
      const told = JSON.parse(errors()[0]!);
      expect(told).toMatchObject({ file: 'mail/digest.text.liquid', line });
      expect(templates.lint()).toMatchObject([{ file: 'mail/digest.text.liquid', line }]);
      // After the fix it is used again.
      await put('mail/digest.text.liquid', whole('Better {{ title }}'));
      expect(firstLine(templates.render('digest', 'en', digest).text)).toBe('Better 10 new postings');
      expect(templates.lint()).toEqual([]);
    },
  );

  test.each(BROKEN)('with %s from the start uses the original', async (_what, text) => {
    await put('mail/digest.text.liquid', text);
    expect(open(oneDigest).render('digest', 'en', digest).text).toContain('Apply links carry attribution');
    expect(errors()).toHaveLength(1);
  });

  test('in one file does not affect good edits of others', { tags: 'long' }, async () => {
    await put('mail/digest.subject.liquid', 'Mine {{ title }}');
    await put('mail/digest.text.liquid', '{{ broken');
    await put('mail/alert.text.liquid', '{{ also.broken }}');
    const templates = open();
    expect(templates.render('digest', 'en', digest).subject).toBe('Mine 10 new postings');
    expect(
      templates
        .lint()
        .map(({ file }) => file)
        .sort(),
    ).toEqual(['mail/alert.text.liquid', 'mail/digest.text.liquid']);
  });

  test('that fails only on some data falls back to the original for it', async () => {
    await put('mail/notice.text.liquid', "{% if text == 'x' %}{{ nothing }}{% endif %}{{ text }}");
    const templates = open();
    const view = { ...samples.mails.notice![1]!, text: 'x' };
    expect(templates.render('notice', 'en', view).text).toContain('Your subscription needs attention');
    expect(errors()).toHaveLength(1);
  });
});

const LINK = '<a class="a" href="{{ card.link }}">{{ card.title }}</a>';
/** The template of a posting with its link written differently, in line 3. */
const card = (link: string) =>
  `<tr><td>\n<p>{{ card.title }}</p>\n{% if card.link %}${link}{% endif %}\n</td></tr>\n`;

describe('an edit that breaks a link rule', () => {
  test.each([
    ['rel="nofollow"', card(LINK.replace('<a ', '<a rel="nofollow" ')), /rel="nofollow"/],
    ['rel="ugc sponsored"', card(LINK.replace('<a ', "<a rel='ugc sponsored' ")), /rel="ugc sponsored"/],
    ['a ping', card(LINK.replace('<a ', '<a ping="https://t.example/" ')), /ping/],
    ['a parameter added', card(LINK.replace('card.link }}', 'card.link }}&utm_medium=mail')), /altered/],
    [
      'the link of a redirect',
      card(LINK.replace('{{ card.link', 'https://t.example/?u={{ card.link | url_encode')),
      /missing or was altered/,
    ],
    ['the link cut', card(LINK.replace('card.link', 'card.link | truncate: 200')), /missing or was altered/],
    [
      'the link in lower case',
      card(LINK.replace('card.link', 'card.link | downcase')),
      /missing or was altered/,
    ],
    [
      'the link without its query',
      card(LINK.replace('card.link', 'card.link | split: "?" | first')),
      /missing or was altered/,
    ],
    ['the link in another attribute', card(LINK.replace('href', 'data-href')), /missing or was altered/],
    [
      'the link as an element that is no link',
      card('<link href="{{ card.link }}">{{ card.title }}'),
      /missing or was altered/,
    ],
  ])(
    'by %s keeps the last good version and reports the place and the rule',
    { tags: 'long' },
    async (_what, text, reason) => {
      const name = 'mail/posting.html.liquid';
      const templates = open(digests);
      const html = () => templates.render('digest', 'en', digest).html;
      await put(name, card(LINK));
      const good = html();
      expect(good).toContain('<td>');
      await put(name, text);
      expect(html()).toBe(good);
      expect(errors().map((line) => JSON.parse(line))).toMatchObject([
        { file: name, line: 3, reason: expect.stringMatching(reason) },
      ]);
      expect(templates.lint()).toMatchObject([
        { file: name, line: 3, reason: expect.stringMatching(reason) },
      ]);
      await put(name, card(LINK.replace('"a"', '"mine"')));
      expect(html()).toContain('class="mine"');
      expect(templates.lint()).toEqual([]);
    },
  );

  test('from the start uses the original', async () => {
    await put('mail/posting.html.liquid', card(LINK.replace('<a ', '<a rel="nofollow" ')));
    expect(open(digests).render('digest', 'en', digest).html).not.toContain('nofollow');
    expect(errors()).toHaveLength(1);
  });

  test('in a text part is found: the note left out, the link inside words', async () => {
    const name = 'mail/alert.text.liquid';
    await put(name, "{{ title }}\n{% render 'mail/postings.text', groups: groups %}\n");
    const templates = open();
    expect(templates.lint()).toMatchObject([
      { file: name, reason: expect.stringMatching(/note is missing/) },
    ]);
    await put(
      name,
      '{{ note }}\n{% for group in groups %}{% for card in group.cards %}{{ card.link }}&via=mail\n{% endfor %}{% endfor %}',
    );
    expect(templates.lint()).toMatchObject([
      { file: name, line: 2, reason: expect.stringMatching(/altered/) },
    ]);
  });

  test('among good edits of other files removes only itself, in a page too', { tags: 'long' }, async () => {
    await put('mail/digest.subject.liquid', 'Mine {{ title }}');
    await put('mail/footer.html.liquid', '<p>My footer</p>');
    await put('page/posting.html.liquid', `<li>${LINK.replace('<a ', '<a rel="nofollow" ')}</li>`);
    await put('mail/mine.html.liquid', card(LINK.replace('<a ', '<a rel="ugc" ')));
    await put('mail/posting.html.liquid', "{% render 'mail/mine.html', card: card %}");
    const templates = open();
    const { subject, html } = templates.render('digest', 'en', digest);
    expect(subject).toBe('Mine 10 new postings');
    expect(html).toContain('My footer');
    expect(html).not.toContain('ugc');
    expect(templates.page('edition', 'en', samples.pages.edition![0]!)).not.toContain('nofollow');
    const told = errors().map((line) => JSON.parse(line).file);
    expect(told.toSorted()).toEqual(['mail/posting.html.liquid', 'page/posting.html.liquid']);
  });

  test('for only one posting, which no sample has, falls back to the original for it', async () => {
    const odd = LINK.replace(
      'card.link }}',
      'card.link }}{% if card.title contains "Plumber" %}?ref=x{% endif %}',
    );
    await put('mail/posting.html.liquid', card(odd));
    await put(
      'mail/digest.subject.liquid',
      '{% if title contains "Plumber" %}{{ none }}{% endif %}Mine {{ title }}',
    );
    const templates = open(digests);
    const [sample] = sampleMails().digest as unknown as DigestView[];
    const plumber = <T extends { cards: readonly { title: string }[] }>(list: T) => ({
      ...list,
      cards: list.cards.map((one, n) => ({ ...one, title: n === 0 ? 'Plumber' : one.title })),
    });
    const [picks, groups] = [plumber(sample!.picks), sample!.groups.map(plumber)];
    expect(errors()).toEqual([]);
    const { subject, html } = templates.render('digest', 'en', {
      ...sample!,
      title: 'Plumbers',
      picks,
      groups,
    });
    expect(html).toContain('Plumber');
    expect(html).not.toContain('?ref=x');
    expect(subject).toBe(sample!.subject);
    expect(errors().map((line) => JSON.parse(line))).toMatchObject([
      { file: 'mail/digest.subject.liquid', line: 1 },
      { file: 'mail/digest.html.liquid', reason: expect.stringMatching(/altered/) },
    ]);
  });
});

describe('data', () => {
  const hostile = '<b>&amp;</b> "\' {{ subject }} {% raw %}';

  test('is escaped in HTML, whatever filters do to it, and unchanged in text', async () => {
    await put('mail/notice.html.liquid', '<p title="{{ text }}">{{ text | append: "<i>" }}</p>');
    const { html, text } = open().render('notice', 'en', { ...samples.mails.notice![1]!, text: hostile });
    expect(html).not.toMatch(/<b>|<i>|title="[^"]*"[^>]*"/u);
    expect(html).toContain('&lt;b&gt;&amp;amp;');
    expect(html).toContain('{{ subject }} {% raw %}');
    expect(text).toContain(hostile);
  });

  test("can't reach the internals of the program", async () => {
    await put('mail/notice.text.liquid', '{{ title.constructor.name }}{{ words.constructor.constructor }}');
    open();
    expect(errors()).toHaveLength(1);
  });
});

describe.each(['digest', 'alert', 'quiet', 'confirm', 'notice', 'reminder'] as const)(
  '%s',
  (kind: MailKind) => {
    const render = (locale: string, index = 0) =>
      shipped.render(kind, locale, sampleMails(locale)[kind]![index]!);

    test('is valid HTML', { tags: 'long' }, async () => {
      const validator = new HtmlValidate({
        extends: ['html-validate:recommended'],
        rules: {
          // Mail programs need styles in tags, tables for layout, and no closing tags that the parser adds itself.
          'no-inline-style': 'off',
          'prefer-native-element': 'off',
          'no-deprecated-attr': 'off',
          'long-title': 'off',
          'no-trailing-whitespace': 'off',
          'wcag/h63': 'off',
          'prefer-tbody': 'off',
          // Outlook on Windows reads them.
          'no-conditional-comment': 'off',
        },
      });
      for (const index of [0, 1]) {
        const { results } = await validator.validateString(render('en', index).html);
        expect(
          results.flatMap(({ messages }) => messages.map(({ ruleId, line }) => `${ruleId} ${line}`)),
        ).toEqual([]);
      }
    });

    test('has one heading of the first level, a language, a dark scheme and a preheader of 40 to 110 characters', () => {
      for (const locale of ['en', 'de', 'es']) {
        const { html } = render(locale);
        expect(html.match(/<h1/gu)).toHaveLength(1);
        expect(html).toMatch(/<html lang="[a-z]{2}-[A-Z]{2}"/u);
        expect(html).toContain('prefers-color-scheme: dark');
        expect(html).toContain('name="color-scheme" content="light dark"');
        const preheader = /<div class="pre"[^>]*>([^<]*)</u.exec(html)![1]!;
        expect(preheader.length).toBeGreaterThanOrEqual(40);
        expect(preheader.length).toBeLessThanOrEqual(110);
        expect([...html.matchAll(/<table(?![^>]*role="presentation")/gu)]).toEqual([]);
        expect([...html.matchAll(/<img(?![^>]*\salt="[^"]+")/gu)]).toEqual([]);
        expect(html).not.toMatch(/<script|<link|@import|@font-face|url\(|src="http/iu);
      }
    });

    test('uses nothing that breaks in common mail programs', () => {
      // Where these are missing, nothing breaks: round corners, the dark scheme, the second way to hide a preheader,
      // breaking an endless word, keeping a link on one line, and leaving out the initial when the mail is read aloud.
      const harmless = new Set([
        '@media',
        '<style> element',
        '<body> element',
        'border-radius',
        'border-spacing',
        'overflow',
        'height property',
        'role attribute',
        'display:none',
        'word-break',
        'aria-hidden attribute',
        'white-space',
      ]);
      const { issues } = caniemail({
        clients: ['gmail.*', 'outlook.*', 'apple-mail.*', 'yahoo.*', 'thunderbird.*'],
        html: render('en').html,
      });
      const found = [...issues.errors.values()].flat().map(({ title }) => title);
      expect([...new Set(found)].filter((title) => !harmless.has(title))).toEqual([]);
    });
  },
);

describe("the operator's brand", () => {
  const brand = { name: 'Rust & Jobs', color: '#0f766e' };
  const branded = (more: Partial<Brand> = {}) =>
    createTemplates({ dirs: [TEMPLATES, mine], log, samples, checkMs: 0, brand: { ...brand, ...more } });

  test('is a wordmark of text without a logo, in mails and pages', () => {
    const { html } = branded().render('digest', 'en', digest);
    expect(html).toMatch(/<td class="tile"[^>]*background-color:#0f766e[^>]*>R<\/td>/u);
    expect(html).toMatch(/<td class="name"[^>]*>Rust &amp; Jobs<\/td>/u);
    expect(html.match(/<img/gu)).toHaveLength(1);
    const page = branded().page('edition', 'en', samples.pages.edition![0]!);
    expect(page).toContain('<span class="tile" aria-hidden="true">R</span> Rust &amp; Jobs</p>');
  });

  test('is a logo in its proportions, attached to mails and contained in pages', () => {
    const mark = /<img[^>]* src="([^"]+)" width="(\d+)" height="(\d+)" alt="Rust &amp; Jobs">/u;
    const wide = branded({ logo: { png: 'iVBO', width: 480, height: 96 } });
    const [, ...inMail] = mark.exec(wide.render('confirm', 'en', samples.mails.confirm![0]!).html) ?? [];
    expect(inMail).toEqual(['cid:logo@jobcrier', '160', '32']);
    const [, ...inPage] = mark.exec(wide.page('edition', 'en', samples.pages.edition![0]!)) ?? [];
    expect(inPage).toEqual(['data:image/png;base64,iVBO', '160', '32']);
    const widest = branded({ logo: { png: 'iVBO', width: 4400, height: 100 } });
    expect(widest.render('digest', 'en', digest).html).toContain('width="220" height="5"');
  });

  test('colours every style sheet, also those of an operator, and leaves other properties alone', async () => {
    const templates = branded();
    const { html } = templates.render('digest', 'en', digest);
    expect(html).toContain('border-left:3px solid #0f766e');
    expect(html).not.toMatch(/var\(|#3f4fd6/u);
    const css = templates.file('page/page.css') ?? '';
    expect(css).toContain('--button: #0f766e;');
    expect(css).toContain('background: var(--ground);');
    expect(css).not.toMatch(/var\(--accent[\w-]*\)/u);
    await put('mail/inline.css', '.h1 { color: var(--accent-ink); border-color: var(--mine) }');
    expect(templates.render('digest', 'en', digest).html).toMatch(
      /<h1 class="h1" style="color:#0e7069;border-color:var\(--mine\)"/u,
    );
  });

  test('can be used in a template, where a misspelt name is an error', { tags: 'long' }, async () => {
    await put('mail/notice.subject.liquid', '{{ brand.name }}: {{ title }}');
    const templates = branded();
    const view = samples.mails.notice![0]!;
    expect(templates.render('notice', 'en', view).subject).toMatch(/^Rust & Jobs: /u);
    await put('mail/notice.subject.liquid', '{{ brand.nam }}');
    expect(templates.lint()).toMatchObject([{ file: 'mail/notice.subject.liquid', line: 1 }]);
  });
});

test('a mail has a table of 600 pixels for Outlook on Windows, and space between its links', () => {
  const { html } = shipped.render('digest', 'en', digest);
  const tables = [...html.matchAll(/<!--\[if mso\]>([\s\S]*?)<!\[endif\]-->/gu)].map(([, text]) => text);
  expect(tables).toContainEqual(expect.stringMatching(/^<table [^>]*width="600"[^>]*><tr><td>$/u));
  expect(tables).toContain('</td></tr></table>');
  // That program ignores margin and padding of a link. It takes spaces, and the padding of a cell.
  expect(html).toMatch(/<a class="ka"[^>]*>Save<\/a>&nbsp;&nbsp; <a class="ka"/u);
  const confirm = shipped.render('confirm', 'en', samples.mails.confirm![0]!).html;
  expect(confirm).toMatch(/<td class="btn"[^>]*mso-padding-alt:13px 26px[^>]*><a class="btna"/u);
});

describe('a template that lists all postings by tag', () => {
  test('still works, and must not leave out a posting', async () => {
    await put(
      'mail/digest.html.liquid',
      "{% layout 'mail/layout.html' %}{% block content %}<h1>{{ title }}</h1>{{ about }} {{ period }} {{ summary }}\n{% render 'mail/postings.html', groups: groups %}{% endblock %}",
    );
    const templates = open(digests);
    const { html } = templates.render('digest', 'en', digest);
    expect(html).toContain('<h1>10 new postings</h1>Solidity or Rust, remote, from $80k 16–22 Nov');
    expect(html.match(/href="https:\/\/jobs\.example\.org/gu)).toHaveLength(8);
    expect(html).toContain('>More from Basalt</p>');
    // Three cards, and a fourth posting of the company in the list below them.
    const postings = [1, 2, 3, 4].map((n) => ({
      key: `id:${n}`,
      title: `Job ${n}`,
      company: 'Basalt',
      matched: [],
    }));
    const bare = digestView({ ...sampleDelivery(), postings }, { now: 0, links: SAMPLE_LINKS });
    expect(templates.render('digest', 'en', bare).html.match(/No apply link was given\./gu)).toHaveLength(4);
    await put(
      'mail/digest.html.liquid',
      "{% layout 'mail/layout.html' %}{% block content %}<h1>{{ title }}</h1>\n{% render 'mail/posting.html' for picks.cards as card, under: true %}{% endblock %}",
    );
    expect(templates.lint()).toMatchObject([{ reason: expect.stringMatching(/missing or was altered/) }]);
    expect(templates.render('digest', 'en', digest).html).toBe(html);
  });
});

describe('a job in several places', () => {
  const at = (n: number, location: string, fields: object = {}) => ({
    key: `id:${n}`,
    title: 'Dev',
    company: 'Basalt',
    location,
    matched: [],
    applyUrl: `https://jobs.example.org/r/${n}?a=1&b=2`,
    ...fields,
  });
  const places = [at(1, 'Berlin'), at(2, 'Lisbon, Portugal'), at(3, '<Porto>')];
  const other = [4, 5, 6, 7].map((n) => at(n, 'Oslo', { title: `Job ${n}`, company: `Firm ${n}` }));
  const view = (postings: readonly ReturnType<typeof at>[]) =>
    digestView({ ...sampleDelivery(), postings }, { now: 0, links: SAMPLE_LINKS });
  const pick = view([...places, ...other]);
  const row = view([...other, ...places.map((one) => ({ ...one, fit: { score: -1, reasons: [] } }))]);
  const hrefs = (html: string) => (html.match(/href="https:\/\/jobs\.example\.org\/[^"]*"/gu) ?? []).length;

  test.each([
    ['a pick', pick],
    ['a row', row],
  ])('is one card with the other places as links, as %s', (_what, one) => {
    const { subject, html, text } = open().render('digest', 'en', one);
    expect(subject).toContain('+ 6 more');
    expect(html.match(/>Dev</gu)).toHaveLength(1);
    expect(html).toMatch(
      /<p class="t"[^>]*>also: <a class="al"[^>]* href="https:\/\/jobs\.example\.org\/r\/2\?a=1&amp;b=2">Lisbon, Portugal<\/a>; <a [^>]*>&lt;Porto&gt;<\/a><\/p>/u,
    );
    expect(text).toContain(
      'also:\n- Lisbon, Portugal: https://jobs.example.org/r/2?a=1&b=2\n- <Porto>: https://jobs.example.org/r/3?a=1&b=2\n',
    );
    const page = { ...one, service: '', filter: '', base: '' };
    expect(open().page('edition', 'en', page)).toContain('>Lisbon, Portugal</a>; <a ');
    expect(errors()).toEqual([]);
  });

  test('is counted by posting, and in the groups too', () => {
    expect(pick.title).toBe('7 new postings');
    expect(pick.groups.map(({ count }) => count)).toEqual([7]);
    expect(pick.groups[0]?.cards.map(({ also }) => also?.places.length)).toContain(2);
  });

  test.each([
    ['mail/posting.html.liquid', card(LINK), pick],
    ['mail/row.html.liquid', card(LINK), row],
    [
      'mail/digest.html.liquid',
      '{% for group in groups %}{% for card in group.cards %}<a href="{{ card.link }}">Dev</a>{% endfor %}{% for more in group.rest %}{% for card in more.cards %}<a href="{{ card.link }}">Dev</a>{% endfor %}{% endfor %}{% endfor %}',
      pick,
    ],
  ])('is a card for each place in a former %s', async (name, text, one) => {
    await put(name, text);
    const templates = open(digests);
    const { html } = templates.render('digest', 'en', one);
    expect(hrefs(html)).toBe(7);
    expect(html.match(/>Dev</gu)?.length).toBeGreaterThanOrEqual(3);
    expect(html).not.toContain('also:');
    // The text part is the program's own.
    expect(templates.render('digest', 'en', one).text).toContain('also:\n- Lisbon');
    expect([errors(), templates.lint()]).toEqual([[], []]);
  });

  test('is a card for each place in a former text part and page', { tags: 'long' }, async () => {
    await put(
      'mail/edition.text.liquid',
      '{% for card in picks.cards %}{{ card.plain }}\n\n{% endfor %}{% for section in sections %}{% for card in section.cards %}{{ card.plainRow }}\n\n{% endfor %}{% endfor %}',
    );
    await put('page/posting.html.liquid', `<li>${LINK}</li>`);
    const templates = open();
    const { text } = templates.render('digest', 'en', pick);
    expect(text.match(/^Dev$/gmu)).toHaveLength(3);
    expect(text).not.toContain('also:');
    expect(hrefs(templates.page('edition', 'en', { ...pick, service: '', filter: '', base: '' }))).toBe(7);
    expect([errors(), templates.lint()]).toEqual([[], []]);
  });
});

describe('a digest', () => {
  test('has a heading per posting, whose title is the link', () => {
    const { html } = shipped.render('digest', 'en', digest);
    expect(html.match(/<h3/gu)).toHaveLength(10);
    expect(html.match(/<h3[^>]*><a [^>]*href="https:\/\/jobs\.example\.org/gu)).toHaveLength(8);
  });

  test('leaves no gap for what a posting lacks', () => {
    const { html, text } = shipped.render('digest', 'en', digest);
    expect(html).not.toMatch(/<p[^>]*>\s*<\/p>|null|undefined|NaN/u);
    expect(text).not.toMatch(/null|undefined|NaN|\n{3}|· *\n|^ *·/mu);
  });
});
