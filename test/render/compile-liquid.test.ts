// A compiled template must print what LiquidJS prints. A template that can't be compiled, or that fails, must be left
// to LiquidJS.
import fc from 'fast-check';
import { Liquid, type LiquidOptions } from 'liquidjs';
import { describe, expect, test } from 'vitest';
import { compileLiquid } from '../../src/render/compile-liquid.js';

const STRICT: LiquidOptions = { strictVariables: true, strictFilters: true, ownPropertyOnly: true };
const FILES = {
  part: '[{{ card.title }}{{ at }}]',
  frame: '<{% block a %}{{ name }}{% endblock %}{% block b %}{% if yes %}{{ at }}{% endif %}{% endblock %}>',
  inner: "{% layout 'frame' %}{% block a %}inner {{ card.title }}{% endblock %}",
  tree: "({{ one.title }}{% if one.below %}{% render 'tree', one: one.below %}{% endif %})",
  assigns: '{% assign mine = at %}{{ mine }}',
  misspelt: 'ok\n{{ nobody }}',
};

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
  groups: [{ cards: [{ title: 'x' }] }, { cards: [] }, { cards: [{ title: 'y' }, { title: 'z' }] }],
  root: { title: 'a', below: { title: 'b', below: { title: '<c>', below: null } } },
};

/** The output of a compiled template (undefined: it is left to LiquidJS), and that of LiquidJS (undefined: an error). */
function both(
  text: string,
  html: boolean,
  view: object = VIEW,
): readonly [compiled: string | undefined, printed: string | undefined] {
  const liquid = new Liquid({
    ...STRICT,
    cache: true,
    templates: { ...FILES, main: text },
    ...(html ? { outputEscape: 'escape' } : {}),
  });
  const compiled = compileLiquid(liquid)('main', view);
  try {
    return [compiled, liquid.renderFileSync('main', view) as string];
  } catch {
    return [compiled, undefined];
  }
}

const COMPILED = [
  'plain text, {% comment %}unseen{% endcomment %}{% # unseen too %}',
  ' {{- name -}} {{ card.title }} {{ card["two words"] }} {{ card[at] }} {{ cards[1].title }} {{ none }}',
  '{{ list }} {{ zero }} {{ yes }} {{ empty }} {{ card.deep.size }} {{ none.more }}',
  '{{ "quoted <b>" }} {{ 3 }} {{ nil }} {{ (1..3) | join: name }}',
  '{{ name | upcase }} {{ name | escape }} {{ none | default: name }} {{ list | join: "<" }} {{ list.size | plus: 1 }}',
  '{% if name %}1{% endif %}{% if none %}2{% else %}3{% endif %}{% if no or card.title %}4{% endif %}',
  '{% unless yes %}5{% else %}6{% endunless %}{% unless no %}7{% elsif yes %}8{% endunless %}{% unless yes %}{% elsif yes %}9{% endunless %}',
  '{% if name == card.title %}1{% elsif zero %}2{% endif %}{% if list contains "c" %}3{% endif %}{% if no | default: yes %}4{% endif %}',
  '{% for card in cards %}{{ card.title }};{% endfor %}{{ card.title }}{% for x in list %}{{ x }}{% else %}none{% endfor %}',
  '{% for group in groups %}<{% for card in group.cards %}{{ card.title }}{{ name }}{% else %}none{% endfor %}>{% endfor %}',
  '{% for n in (1..3) %}{{ n }}{% endfor %}{% for x in none %}{% else %}none{% endfor %}',
  "{% render 'part', card: card, at: zero %}{% render 'part', card: card, at: 'quoted' %}",
  '{% render \'part\' for cards as card, at: name %}{%- render "part" for cards as card, at: none -%}',
  "{% render 'tree', one: root %}",
  "{% layout 'frame' %} unseen {% block a %}{{ card.title }}{% endblock %}{% comment %}unseen{% endcomment %}",
  "before {% layout 'inner' %}{% block b %}{% for card in cards %}{{ card.title }}{% endfor %}{% endblock %}",
  "{% layout 'inner' %}{% block a %}mine{% endblock %}",
  '{% block a %}{{ name }}{% endblock %}',
];

const LEFT = [
  '{% raw %}{{ name }}{% endraw %}',
  '{{ name.size }} {{ list.first }} {{ cards.last.title }} {{ name.length }}',
  '{{ card.deep.call }}',
  '{% case at %}{% when "title" %}3{% else %}4{% endcase %}',
  '{% for card in cards %}{{ forloop.index }}{{ forloop.last }}{% endfor %}',
  '{% for card in cards limit: 1 %}{{ card.title }}{% endfor %}{% for card in cards reversed %}{{ card.title }}{% endfor %}',
  '{% for card in cards %}{{ card.title }}{% break %}{% endfor %}',
  '{% for pair in card %}{{ pair[0] }}{% endfor %}{% for x in name %}{{ x }}{% endfor %}',
  '{% assign mine = card.title %}{{ mine }}{% capture held %}{{ name }}{% endcapture %}{{ held }}{% echo name %}',
  "{% render 'part' with card as card, at: name %}",
  "{% render 'assigns', at: name %}",
  "{% include 'assigns' %}{{ mine }}",
  "{% layout 'frame' %}{% block a %}{{ card.title }}{{ block.super }}{% endblock %}",
  "{% layout 'frame' %}{% assign at = 'x' %}{% block a %}{% endblock %}",
  "{% layout 'frame' %}{% block a %}1{% endblock %}{% block a %}2{% endblock %}",
  "{% layout 'frame' %}{% block a %}{% block b %}nested{% endblock %}{% endblock %}",
  "{% layout 'frame', name: 'given' %}",
];

const BROKEN = [
  'ok\n{{ nobody }}',
  'ok\n{{ card.nothing.more }}',
  'ok\n{% if nobody %}x{% endif %}',
  'ok\n{{ card.constructor }}',
  '{{ card.__proto__ }}',
  "{% render 'part', at: name %}",
  "{% render 'part', card: nobody, at: name %}",
  "{% render 'misspelt' %}",
  "{% render 'no such file' %}",
  "{% layout 'no such file' %}",
  '{% for x in nobody %}{% endfor %}',
  '{% if name %}never closed',
];

describe.each([true, false])('with escaping %s', (html) => {
  test.each(COMPILED)('%j prints what LiquidJS prints', (text) => {
    const [compiled, printed] = both(text, html);
    expect(compiled).toBe(printed);
    expect(compiled).toBeDefined();
  });

  test.each(LEFT)('%j is left to LiquidJS, which prints it', (text) => {
    const [compiled, printed] = both(text, html);
    expect(compiled).toBeUndefined();
    expect(printed).toBeDefined();
  });

  test.each(BROKEN)('%j is left to LiquidJS, which reports the fault', (text) => {
    expect(both(text, html)).toEqual([undefined, undefined]);
  });

  test('prints the same for any value', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom(...'&<>"\''), fc.jsonValue(), fc.constant(undefined));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const text = '{{ a }}{% if b.c %}1{% endif %}{{ b.c }}{{ a.c }}{% for d in b.c %}{{ d }}{% endfor %}';
        for (const one of ['{{ a }}', '{{ b.c }}', '{% if b.c %}1{% endif %}', text]) {
          const [compiled, printed] = both(one, html, { a, b: { c: b } });
          if (compiled !== undefined) expect(compiled).toBe(printed);
          else if (a !== undefined && one === '{{ a }}') expect(compiled).toBe(printed);
        }
      }),
    );
  });
});

test('a template that renders itself endlessly is an error, and the next one is rendered', () => {
  const templates = { main: "{% render 'main' %}", other: '{{ name }}' };
  const render = compileLiquid(new Liquid({ ...STRICT, cache: true, templates }));
  expect(render('main', VIEW)).toBeUndefined();
  expect(render('other', VIEW)).toBe(VIEW.name);
});
