// What `mail lint` finds in a mail.
import { expect, test } from 'vitest';
import { mailFaults } from '../../src/sinks/email/lint.js';

const STOP = 'https://crier.example.org/unsubscribe/a1';
const html = (more: string) => `<p>Hi</p>${more}<a href="${STOP}">Stop</a>`;
const text = `Hi\nStop: ${STOP}\n`;
const faults = (more: string) => mailFaults({ html: html(more), text }, STOP);

test.each([
  ['a remote image', '<img src="https://t.example/logo.png?u=7" width="200">'],
  ['an image without a scheme', '<img width=200 src=//t.example/o.gif>'],
  ['an image set', '<img src="cid:chart" srcset="https://t.example/2x.png 2x">'],
  ['a background', '<td background="http://t.example/o.gif">'],
  ['a background in a style', '<td style="background:url(&quot;https://t.example/o&quot;)">'],
  ['a background in CSS', '<style>.a { background-image: URL( https://t.example/o ) }</style>'],
  ['an import in CSS', '<style>@import "https://t.example/a.css";</style>'],
  ['a style sheet', '<link rel="stylesheet" href="https://t.example/a.css">'],
  ['a frame', '<iframe src="https://t.example/"></iframe>'],
])('reports %s that is loaded when the mail is opened', (_what, more) => {
  expect(faults(more)).toEqual([expect.stringMatching(/^HTML: loads something from t\.example /)]);
});

test.each([
  '<img src="cid:x" width="1" height="1">',
  '<img src="data:image/gif;base64,R0" style="width: 1px;height:1px">',
])('reports an image of one pixel from any address: %s', (more) => {
  expect(faults(more)).toEqual([expect.stringMatching(/one or two pixels/)]);
});

test('accepts attached pictures, links and colours', () => {
  const sound = '<img src="cid:chart" width="536" height="72" alt="x" style="max-width:536px;height:auto">';
  expect(faults(`${sound}<a href="https://jobs.example.org/r/1">x</a><td style="background:#fff">`)).toEqual(
    [],
  );
});

test('requires the right unsubscribe link in both parts', () => {
  const other = `${STOP}b`;
  expect(
    mailFaults({ html: `<p>${STOP}</p><a href="${other}">Stop</a>`, text: `Stop: ${other}` }, STOP),
  ).toEqual([
    expect.stringMatching(/^HTML: no link to unsubscribe/),
    expect.stringMatching(/^text: no link to unsubscribe/),
  ]);
  expect(mailFaults({ html: '<p>Hi</p>', text: 'Hi' })).toEqual([]);
});

test('reads a mail full of brackets quickly', () => {
  const many = '<img '.repeat(40_000) + '<'.repeat(200_000);
  expect(mailFaults({ html: many, text: '' })).toEqual([]);
});

test.each([
  '<image href="https://t.example/o.png">',
  '<image xlink:href="https://t.example/o.png">',
  '<img src=" https://t.example/o.gif ">',
  '<style type="text/css" media="all">.a{background:url( \'https://t.example/o\' )}</style>',
])('names the host of what %s loads, and no more of its address', (tag) => {
  expect(faults(tag)).toEqual([
    'HTML: loads something from t.example when the mail is opened, which lets that server track it; remove it or attach it.',
  ]);
});

test('reports the same fault once, and each host', () => {
  const tags = ['a', 'a', 'b'].map(
    (host) => `<img width=9 height=9 src="https://${host}.example/${host}.gif">`,
  );
  expect(faults(tags.join(''))).toEqual([
    expect.stringContaining('from a.example'),
    expect.stringContaining('from b.example'),
  ]);
});

test.each([
  ['<img src="cid:x" width="2" height="72">', true],
  ['<img src="cid:x" width="536" height="2">', true],
  ['<img src="cid:x" width="0">', true],
  ['<img src="cid:x" height="0">', true],
  ['<img src="cid:x" width="3" height="3">', false],
  ['<img src="cid:x" width="2.5" height="3">', false],
  ['<img src="cid:x" width="" height="">', false],
  ['<img src="cid:x" width="auto">', false],
  ['<img src="cid:x">', false],
  ['<img src="cid:x" width="1" style="width: 100px">', false],
  ['<img src="cid:x" width="100" style="color: red; width: 1px">', true],
  ['<img src="cid:x" width="100" style="max-width: 1px">', false],
  ['<img src="cid:x" width="100" height="100" style="height :1.5px">', true],
  ['<td width="1" height="1">', false],
])('%s is a tracker: %s', (tag, is) => {
  const pixel = 'HTML: an image of one or two pixels, as trackers use them; leave it out.';
  expect(faults(tag)).toEqual(is ? [pixel] : []);
});

test('an address is loaded only where a mail program loads it', () => {
  for (const tag of [
    '<link rel="x" title="https://t.example/">',
    '<link rel="x" href="cid:x">',
    '<image src="x" title="https://t.example/">',
    '<area href="https://t.example/">',
    '<p style="color:red" title="url(https://t.example/)">x</p>',
    '<style>p { color: red }</style>',
  ])
    expect(faults(tag)).toEqual([]);
});

test('the link to unsubscribe is the address of a link, and stands alone in the text', () => {
  const of = (html: string, plain: string) => mailFaults({ html, text: plain }, STOP).length;
  const link = `<a class="x" href="${STOP}">Stop</a>`;
  expect(of(link, `Stop:\n\n ${STOP}`)).toBe(0);
  expect(of(link, `Stop:${STOP}.`)).toBe(1);
  expect(of(`<area href="${STOP}">`, STOP)).toBe(1);
  expect(of(`<a title="${STOP}" href="https://x.example/">Stop</a>`, STOP)).toBe(1);
});
