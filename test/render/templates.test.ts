// Templates as an operator meets them: changed while the service runs, sometimes for the worse. A mail must come out
// whatever stands in the folder.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { caniemail } from 'caniemail';
import { HtmlValidate } from 'html-validate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { samplePages } from '../../src/render/sample-pages.js';
import { sampleMails } from '../../src/render/samples.js';
import { createTemplates, type MailKind, type Templates } from '../../src/render/templates.js';
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

function open(): Templates {
  return createTemplates({ dirs: [TEMPLATES, mine], log, samples, checkMs: 0 });
}

async function put(name: string, text: string): Promise<void> {
  const path = join(mine, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const errors = () => log.lines.filter((line) => line.includes('"level":"error"'));

describe("an operator's folder", () => {
  test('replaces file by file, the rest stays', async () => {
    await put('mail/digest.subject.liquid', 'Hear ye: {{ title }}');
    const { subject, html } = open().render('digest', 'en', digest);
    expect(subject).toBe('Hear ye: 10 new postings');
    expect(html).toContain('<h1');
  });

  test('is read again when a file changes, comes or goes', async () => {
    const templates = open();
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
    expect(open().render('digest', 'en', digest).html).toMatch(/<h1 class="h1" style="color:\s?#123456"/u);
  });

  test('empty, costs no second trial of the own templates', async () => {
    let trials = 0;
    const counted = {
      ...samples,
      get mails() {
        trials++;
        return samples.mails;
      },
    };
    createTemplates({ dirs: [TEMPLATES, mine], log, samples: counted });
    expect(trials).toBe(1);
    await put('mail/digest.subject.liquid', 'Mine {{ title }}');
    const templates = createTemplates({ dirs: [TEMPLATES, mine], log, samples: counted });
    expect(templates.render('digest', 'en', digest).subject).toBe('Mine 10 new postings');
    expect(trials).toBe(3);
  });

  test('need not exist', async () => {
    const templates = createTemplates({ dirs: [TEMPLATES, join(mine, 'none')], log, samples });
    expect(templates.render('notice', 'en', samples.mails.notice![0]!).subject).toContain('need you');
  });
});

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
  test.each(BROKEN)('with %s keeps the last good version and says where', async (_what, text, line) => {
    const templates = open();
    await put('mail/digest.text.liquid', 'Good {{ title }}');
    expect(templates.render('digest', 'en', digest).text).toBe('Good 10 new postings\n');
    await put('mail/digest.text.liquid', text);
    expect(templates.render('digest', 'en', digest).text).toBe('Good 10 new postings\n');
    expect(templates.render('digest', 'en', digest).html).toContain('<h1');
    expect(errors()).toHaveLength(1);
    const told = JSON.parse(errors()[0]!);
    expect(told).toMatchObject({ file: 'mail/digest.text.liquid', line });
    expect(templates.lint()).toMatchObject([{ file: 'mail/digest.text.liquid', line }]);
    // Mended, it counts again.
    await put('mail/digest.text.liquid', 'Better {{ title }}');
    expect(templates.render('digest', 'en', digest).text).toBe('Better 10 new postings\n');
    expect(templates.lint()).toEqual([]);
  });

  test.each(BROKEN)('with %s there from the start leaves the original', async (_what, text) => {
    await put('mail/digest.text.liquid', text);
    expect(open().render('digest', 'en', digest).text).toContain('Apply links carry attribution');
    expect(errors()).toHaveLength(1);
  });

  test('in one file does not undo good edits of others', async () => {
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

  test('that only fails on some data falls back to the original for it', async () => {
    await put('mail/notice.text.liquid', "{% if text == 'x' %}{{ nothing }}{% endif %}{{ text }}");
    const templates = open();
    const view = { ...samples.mails.notice![1]!, text: 'x' };
    expect(templates.render('notice', 'en', view).text).toContain('Something needs you');
    expect(errors()).toHaveLength(1);
  });
});

describe('data', () => {
  const hostile = '<b>&amp;</b> "\' {{ subject }} {% raw %}';

  test('is escaped in HTML, whatever filters do to it, and left alone in text', async () => {
    await put('mail/notice.html.liquid', '<p title="{{ text }}">{{ text | append: "<i>" }}</p>');
    const { html, text } = open().render('notice', 'en', { ...samples.mails.notice![1]!, text: hostile });
    expect(html).not.toMatch(/<b>|<i>|title="[^"]*"[^>]*"/u);
    expect(html).toContain('&lt;b&gt;&amp;amp;');
    expect(html).toContain('{{ subject }} {% raw %}');
    expect(text).toContain(hostile);
  });

  test('reaches nothing of the machinery', async () => {
    await put('mail/notice.text.liquid', '{{ title.constructor.name }}{{ words.constructor.constructor }}');
    open();
    expect(errors()).toHaveLength(1);
  });
});

describe.each(['digest', 'alert', 'confirm', 'notice'] as const)('%s', (kind: MailKind) => {
  const render = (locale: string, index = 0) =>
    open().render(kind, locale, sampleMails(locale)[kind]![index]!);

  test('is sound HTML', async () => {
    const validator = new HtmlValidate({
      extends: ['html-validate:recommended'],
      rules: {
        // What mail programs need: styles in tags, tables for layout, no closing tags the parser adds itself.
        'no-inline-style': 'off',
        'prefer-native-element': 'off',
        'no-deprecated-attr': 'off',
        'long-title': 'off',
        'no-trailing-whitespace': 'off',
        'wcag/h63': 'off',
        'prefer-tbody': 'off',
      },
    });
    for (const index of [0, 1]) {
      const { results } = await validator.validateString(render('en', index).html);
      expect(
        results.flatMap(({ messages }) => messages.map(({ ruleId, line }) => `${ruleId} ${line}`)),
      ).toEqual([]);
    }
  });

  test('has one heading of the first rank, a language, a dark side and a preheader of 40 to 110 characters', () => {
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
    // What degrades without harm where it is missing: round corners, the dark side, a hidden preheader's second lock,
    // the breaking of an endless word.
    const harmless = new Set([
      '@media',
      '<style> element',
      '<body> element',
      'border-radius',
      'border-spacing',
      'opacity',
      'overflow',
      'height property',
      'role attribute',
      'display:none',
      'word-break',
    ]);
    const { issues } = caniemail({
      clients: ['gmail.*', 'outlook.*', 'apple-mail.*', 'yahoo.*', 'thunderbird.*'],
      html: render('en').html,
    });
    const found = [...issues.errors.values()].flat().map(({ title }) => title);
    expect([...new Set(found)].filter((title) => !harmless.has(title))).toEqual([]);
  });
});

describe('a digest', () => {
  test('has a heading per posting, its title the link', () => {
    const { html } = open().render('digest', 'en', digest);
    expect(html.match(/<h3/gu)).toHaveLength(10);
    expect(html.match(/<h3[^>]*><a [^>]*href="https:\/\/jobs\.example\.org/gu)).toHaveLength(8);
  });

  test('leaves no gap for what a posting lacks', () => {
    const { html, text } = open().render('digest', 'en', digest);
    expect(html).not.toMatch(/<p[^>]*>\s*<\/p>|null|undefined|NaN/u);
    expect(text).not.toMatch(/null|undefined|NaN|\n{3}|· *\n|^ *·/mu);
  });
});
