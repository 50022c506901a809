// The last day to apply, read from the text of a posting: what is read, and what looks like it but is not.
import { expect, test } from 'vitest';
import { readApplyBy } from '../../src/domain/apply-by.js';

test.each([
  ['Apply by 30 November 2026.', '2026-11-30', 'Apply by 30 November 2026'],
  ['Please apply by November 30th, 2026 at the latest', '2026-11-30', 'apply by November 30th, 2026'],
  [
    'Apply online no later than 30th of Nov. 2026',
    '2026-11-30',
    'Apply online no later than 30th of Nov. 2026',
  ],
  ['Applications close on November 30, 2026', '2026-11-30', 'Applications close on November 30, 2026'],
  ['Applications must be received by Monday, 30 November 2026', '2026-11-30', undefined],
  ['<h3>Application deadline</h3><p>30 Nov 2026</p>', '2026-11-30', 'Application deadline 30 Nov 2026'],
  ['<p><b>Closing date:</b>&nbsp;30/11/2026</p>', '2026-11-30', 'Closing date: 30/11/2026'],
  ['We hire.<br>Deadline: 2026-11-30<br>Join us', '2026-11-30', 'Deadline: 2026-11-30'],
  ['The deadline for applications is 11/30/2026, good luck', '2026-11-30', undefined],
  ['Submit your application before 1 December 2026', '2026-11-30', undefined],
  ['The position is open until 2026-11-30', '2026-11-30', 'position is open until 2026-11-30'],
  ['Bewerbungsschluss: 30.11.2026', '2026-11-30', 'Bewerbungsschluss: 30.11.2026'],
  ['Bewerbungsschluss: 03.04.2026', '2026-04-03', 'Bewerbungsschluss: 03.04.2026'],
  ['Bewirb dich bis zum 30. November 2026!', '2026-11-30', 'Bewirb dich bis zum 30. November 2026'],
  ['Bewerben Sie sich bitte bis spätestens Montag, den 30.11.2026', '2026-11-30', undefined],
  ['Die Bewerbungsfrist endet am 1. März 2027.', '2027-03-01', 'Bewerbungsfrist endet am 1. März 2027'],
  ['Fecha límite: 30 de noviembre de 2026', '2026-11-30', 'Fecha límite: 30 de noviembre de 2026'],
  ['Fecha límite para postular: 30 de noviembre del 2026', '2026-11-30', undefined],
  ['Envía tu candidatura antes del 1 de diciembre de 2026', '2026-11-30', undefined],
  ['Plazo de presentación de solicitudes: hasta el 30/11/2026', '2026-11-30', undefined],
  ['Postula hasta el lunes, 30 de noviembre de 2026', '2026-11-30', undefined],
  // The same day twice is one deadline, and the first words are shown.
  ['Apply by 30 November 2026. Applications close on 2026-11-30.', '2026-11-30', 'Apply by 30 November 2026'],
  ['Start: 1 January 2027. Apply by 30 November 2026. Posted on 2 November 2026.', '2026-11-30', undefined],
  ['Apply by 30 November 2026. Our first round is in January 2027.', '2026-11-30', undefined],
  ['Apply by 30 November 2026\nFirst day: 4 January 2027', '2026-11-30', undefined],
  ['Bewerbungsschluss: Do, 3. Dez. 2026', '2026-12-03', undefined],
  ['Apply by Mon. 30 Nov. 2026', '2026-11-30', undefined],
  ['Fecha límite: miércoles 2 de sept. de 2026', '2026-09-02', undefined],
  ['Apply by 29 February 2028', '2028-02-29', undefined],
])('reads %j', (text, day, words) => {
  const found = readApplyBy(text, '2026-01-15');
  expect(found?.day).toBe(day);
  expect(found?.words).toBe(words ?? found?.words);
});

test.each([
  'Start date: 30 November 2026',
  'Posted on 30 November 2026',
  'Applications open on 30 November 2026',
  'Applications closed on 30 November 2026',
  'Apply by clicking the button before 30 November 2026',
  'Apply by email. We start on 30 November 2026.',
  'We review applications by 30 November 2026',
  'The contract runs until 30 November 2026',
  'Elternzeitvertretung: Bewerbung als Vertretung bis 30.11.2026',
  'Bewerber für die Zeit bis zum 30.11.2026',
  'Fecha límite de entrega del proyecto: 30 de noviembre de 2026',
  'You own the project deadline: 30 November 2026',
  // Not written in full, or not clear.
  'Apply by 30 November',
  'Apply by November 2026',
  'Apply by 30 November 26',
  'Apply by 30 November 20261',
  'Apply by 03/04/2026',
  'Apply by 03.04.2026',
  'Fecha límite: 03/04/2026',
  'Bewerbungsschluss: 03/04/2026',
  'Apply by tomorrow, or by the end of 2026',
  // No such day, or another weekday.
  'Apply by 31 November 2026',
  'Apply by 30 Brumaire 2026',
  'Apply by 2026-13-01',
  'Apply by Friday, 30 November 2026',
  // Two of them.
  'Apply by 30 November 2026. Second round: apply by 15 January 2027.',
  'Apply by 30 November 2026 or 15 January 2027',
  'Apply by 30 November 2026 - 15 January 2027',
  'Apply by 30 November 2026. Bewerbungsschluss: 01.12.2026',
  'Apply by 03/04/2026. Applications close on 30 November 2026.',
  'Apply by 30 November 2026 (extended to 15 January 2027)',
  'Students apply by 30 November 2026, everyone else by 15 January 2027',
  // The last day of something else.
  'Applications received by 30 November 2026 are read first',
  'Apply by 30 November 2026 for priority consideration.',
  'Our priority application deadline is 30 November 2026',
  'Bewerbungen bis 30.11.2026 werden bevorzugt berücksichtigt',
  // In a part of the page that is not shown.
  '<!-- Apply by 30 November 2026 --><script>"Apply by 30 November 2026"</script>',
  '',
  undefined,
])('reads no deadline from %j', (text) => {
  expect(readApplyBy(text, '2026-01-15')).toBeUndefined();
});

test('reads no deadline before the day of the posting', () => {
  expect(readApplyBy('Apply by 30 November 2026', '2026-12-01')).toBeUndefined();
  expect(readApplyBy('Apply by 30 November 2026', '2026-11-30')?.day).toBe('2026-11-30');
  expect(readApplyBy('Apply by 30 November 2026')?.day).toBe('2026-11-30');
});
