// Finds the faults of a posted preferences form, field by field and in the reader's language. The service checks the
// same rules again, but its messages are for operators.
import { clockTime, WEEKDAYS } from '../domain/cadence.js';
import { resolveCountry } from '../domain/countries.js';
import { LONGEST_WORD, MOST_TAGS, MOST_WORDS } from '../domain/filter.js';
import { timezoneFaults } from '../domain/schedule.js';
import { MOST_POSTINGS } from '../domain/subscription.js';
import { isTag } from '../domain/tags.js';
import { wantedPay } from '../domain/wanted-pay.js';
import { textsFor } from '../render/language/index.js';
import type { FormFault, PreferencesForm } from '../render/preferences-view.js';
import { EVERY, wordsOf } from './preferences-form.js';

type Checked = Exclude<keyof PreferencesForm, 'remote' | 'dropUnknown' | 'locale'>;

/** All faults; none when the form can be saved. */
export function formFaults(form: PreferencesForm, locale: string): readonly FormFault[] {
  const texts = textsFor(locale);
  const { preferences: words } = texts.page;
  const { fault } = texts.bot;
  const faults: FormFault[] = [];
  const wrong = (field: Checked, text: string) =>
    void faults.push({ field, text: `${words[field]}: ${text}` });
  const { every, day, at, timezone, tags, country, minSalary, cap } = form;

  if (!EVERY.includes(every)) wrong('every', words.choose);
  if (every === 'weekly' && !WEEKDAYS.some((one) => one === day)) wrong('day', words.choose);
  if ((every === 'daily' || every === 'weekly') && clockTime(at) === undefined)
    wrong('at', words.badTime(at.slice(0, 40)));
  if (timezoneFaults(timezone).length > 0)
    wrong('timezone', `${fault.unknownZone(timezone.slice(0, 40))} ${words.zoneHint}`);
  if (tags.length > MOST_TAGS) wrong('tags', fault.tooManyTags(MOST_TAGS));
  const unknown = tags.find((tag): boolean => !isTag(tag));
  if (unknown !== undefined) wrong('tags', fault.unknownTag(unknown.slice(0, LONGEST_WORD)));
  if (country !== '' && !resolveCountry(country))
    wrong('country', fault.unknownCountry(country.slice(0, LONGEST_WORD)));
  for (const field of ['include', 'exclude'] as const) {
    const list = wordsOf(form[field]);
    if (list.length > MOST_WORDS || list.some((word) => word.length > LONGEST_WORD))
      wrong(field, fault.words(MOST_WORDS, LONGEST_WORD));
  }
  if (minSalary !== '' && wantedPay(minSalary) === undefined)
    wrong('minSalary', fault.pay(minSalary.slice(0, 40)));
  if (cap !== '' && !(/^\d+$/u.test(cap) && Number(cap) >= 1 && Number(cap) <= MOST_POSTINGS))
    wrong('cap', words.badCap(MOST_POSTINGS));
  return faults;
}
