// What a filter finds now and found lately. Subscribes nothing.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { countryChoices, filterForm, readFilter, tagChoices } from '../forms/filter.js';
import { FILTER_OPTIONS, translations } from '../forms/filter-options.js';
import { previewView } from '../views/preview.js';
import { mustHaveToken } from '../views/token.js';

export const jobsPreview = {
  path: 'jobs preview',
  slow: true,
  options: FILTER_OPTIONS,
  async run(ask, bench) {
    const texts = textsFor(ask.locale);
    const form = filterForm(ask.options);
    const filter = readFilter(form, texts);
    await mustHaveToken(ask, bench);
    const notes = translations(form, filter, texts);
    return previewView(await bench.desk.preview(ask.caller, filter), ask, bench, notes);
  },
  complete: async (option, typed, ask) =>
    option === 'tags' ? tagChoices(typed) : countryChoices(typed, textsFor(ask.locale)),
} satisfies Command;
