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
