// CSS in the tags of mail templates: which rules apply to a tag, in which order, and that nothing else is changed.
import { describe, expect, test } from 'vitest';
import { inlineCss, readRules } from '../../src/render/inline-css.js';

const CSS = `/* two
lines */
.a { color: red; margin: 0 }
.b, .c-1 { color: blue; font-family: "Segoe UI", sans-serif; }
`;
const inline = (html: string) => inlineCss(html, readRules(CSS));

describe('a tag gets', () => {
  test.each([
    ['the rule of its class', '<p class="a">', '<p class="a" style="color: red; margin: 0">'],
    [
      'single quotes for double ones',
      '<p class="c-1">',
      `<p class="c-1" style="color: blue; font-family: 'Segoe UI', sans-serif">`,
    ],
    [
      'the later rule over the earlier one, whatever the order of its classes',
      "<p class='b a'>",
      `<p class='b a' style="margin: 0; color: blue; font-family: 'Segoe UI', sans-serif">`,
    ],
    [
      'its own style last',
      '<p style="margin: 1px" class="a">',
      '<p class="a" style="color: red; margin: 0; margin: 1px">',
    ],
    [
      'the rule with Liquid between its attributes',
      '<a {% if x > 1 %}id="i"{% endif %} class="a" href="{{ url }}">',
      '<a {% if x > 1 %}id="i"{% endif %} class="a" style="color: red; margin: 0" href="{{ url }}">',
    ],
  ])('%s', (_what, html, expected) => {
    expect(inline(`x ${html} y`)).toBe(`x ${expected} y`);
  });
});

test.each([
  ['a class without a rule', '<p class="z">'],
  ['a class that Liquid makes', '<p class="{% if a %}a{% endif %}">'],
  ['a comment', '<!-- <p class="a"> -->'],
  ['Liquid that looks like a tag', '{% if n <p and class="a" %}>{% endif %}'],
  ['text', 'class="a" &amp; 1 < 2'],
])('%s is unchanged', (_what, html) => {
  expect(inline(html)).toBe(html);
});

test.each([
  ['h1 { color: red }', 1, '"h1"'],
  ['.a { color: red }\n\n.a .b { margin: 0 }', 3, '".a .b"'],
  ['/* one\n*/\n@media (max-width: 1px) { .a { margin: 0 } }', 3, '"@media (max-width: 1px)"'],
  ['.a { color: red }\n.b', 2, '".b"'],
])('%j names line and selector', (css, line, named) => {
  expect(() => readRules(css)).toThrow(
    expect.objectContaining({ line, message: expect.stringContaining(named) }),
  );
});

test('reads an endless text quickly', () => {
  const html = `<p ${'{{ a }} {% b '.repeat(20_000)}`;
  expect(inline(html)).toBe(html);
});
