// The short way from a name to what is printed must say what LiquidJS says, fail as LiquidJS fails, and be taken.
import fc from 'fast-check';
import { Liquid, type LiquidOptions, type Template, toValueSync } from 'liquidjs';
import { describe, expect, test } from 'vitest';
import { quicken } from '../../src/render/quick-names.js';

const STRICT: LiquidOptions = { strictVariables: true, strictFilters: true, ownPropertyOnly: true };
const PARTIALS = { part: '[{{ card.title }}{{ at }}]', frame: '<{% block a %}{{ name }}{% endblock %}>' };

const VIEW = {
  name: 'Tom & "Jerry"',
  empty: '',
  none: null,
  zero: 0,
  yes: true,
  no: false,
  at: 'title',
  list: ['a<b', 'c', null],
  card: { title: "<O'Neill>", 'two words': 'x&y', deep: { size: 3, call: () => 'called & <told>' } },
  cards: [{ title: 'one' }, { title: '<two>' }],
};

interface Shown {
  readonly out?: string;
  readonly error?: string;
}

/** What a template gives, or the error with its place, the short way and LiquidJS's own. */
function both(text: string, html: boolean, view: object = VIEW): readonly [quick: Shown, slow: Shown] {
  const show = (shorten: boolean): Shown => {
    const parsed = new Map<string, Template[] | Promise<Template[]>>();
    const cache = {
      read: (key: string) => parsed.get(key),
      write(key: string, file: Template[] | Promise<Template[]>) {
        if (shorten) quicken(file as Template[], liquid.options.outputEscape);
        parsed.set(key, file);
      },
      remove: (key: string) => void parsed.delete(key),
    };
    const liquid: Liquid = new Liquid({
      ...STRICT,
      cache,
      templates: { ...PARTIALS, main: text },
      ...(html ? { outputEscape: 'escape' } : {}),
    });
    try {
      return { out: liquid.renderFileSync('main', view) };
    } catch (error) {
      return { error: String(error) };
    }
  };
  return [show(true), show(false)];
}

const TEMPLATES = [
  'plain text, {% comment %}unseen{% endcomment %}{% raw %}{{ name }}{% endraw %}',
  ' {{- name -}} {{ card.title }} {{ card["two words"] }} {{ card[at] }} {{ cards[1].title }} {{ cards.last.title }}',
  '{{ name.size }} {{ list.first }} {{ list }} {{ zero }} {{ yes }} {{ none }} {{ empty }} {{ card.deep.size }}',
  '{{ card.deep.call }} {{ "quoted <b>" }} {{ 3 }} {{ nil }} {{ (1..3) | join: name }}',
  '{{ name | upcase }} {{ name | escape }} {{ none | default: name }} {{ list | join: "<" }}',
  '{% if name %}1{% endif %}{% if none %}2{% else %}3{% endif %}{% if no or card.title %}4{% endif %}{% unless yes %}5{% endunless %}',
  '{% if name == card.title %}1{% elsif zero %}2{% endif %}{% case at %}{% when "title" %}3{% else %}4{% endcase %}',
  '{% for card in cards %}{{ forloop.index }}{{ forloop.last }}{{ card.title }}{% break %}{% else %}none{% endfor %}',
  '{% assign mine = card.title %}{{ mine }}{% capture held %}{{ name }}{% endcapture %}{{ held }}{% echo name %}',
  '{% if no | default: yes %}1{% endif %}{% assign mine = name | upcase %}{{ mine }}',
  "{% render 'part' for cards as card, at: name %}{% render 'part', card: card, at: zero %}",
  "{% layout 'frame' %}{% block a %}{{ card.title }}{{ block.super }}{% endblock %}",
  'ok\n{{ nobody }}',
  'ok\n{{ card.nothing.more }}',
  'ok\n{% if nobody %}x{% endif %}',
  'ok\n{{ none.more }}',
  'ok\n{{ card.constructor }}{{ name.length }}',
  "{% render 'part', at: name %}",
];

describe.each([true, false])('with escaping %s', (html) => {
  test.each(TEMPLATES)('%j says what LiquidJS says', (text) => {
    const [quick, slow] = both(text, html);
    expect(quick).toEqual(slow);
  });

  test('whatever is printed', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom(...'&<>"\''), fc.jsonValue(), fc.constant(undefined));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const view = { a, b: { c: b } };
        const [quick, slow] = both('{{ a }}{% if b.c %}1{% endif %}{{ b.c }}{{ a.c }}', html, view);
        expect(quick).toEqual(slow);
      }),
    );
  });
});

test.each([
  ['text', true],
  ['{{ a }}', true],
  ['{{ a.b["c"] }}', true],
  ['{% if a.b %}{% endif %}', true],
  ['{% for a in b %}{{ a }}{% endfor %}', true],
  ['{{ a[b] }}', false],
  ['{{ a | upcase }}', false],
  ['{{ "a" }}', false],
  ['{% if a == b %}{% endif %}', false],
])('%s is shortened: %s', (text, shortened) => {
  const liquid = new Liquid({ ...STRICT, outputEscape: 'escape' });
  const [template] = liquid.parse(text);
  quicken([template!], liquid.options.outputEscape);
  const inner = toValueSync(template!.children?.(false, true) ?? []) as Template[];
  const parts: object[] = [template!, ...(template!.arguments?.() ?? []), ...inner];
  const own = parts.flatMap((part) => Object.values(part)).filter((value) => typeof value === 'function');
  expect(own.length > 0).toBe(shortened);
});
