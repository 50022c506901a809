// What a filter finds now and found lately. Subscribes nothing.
import { textsFor } from '../../render/language/index.js';
import { countryChoices, filterForm, readFilter, tagChoices } from '../forms/filter.js';
import { FILTER_OPTIONS, translations } from '../forms/filter-options.js';
import type { Command } from '../request.js';
import { previewView } from '../views/preview.js';
import { mustHaveToken } from '../views/token.js';

export const jobsPreview = {
  path: 'jobs preview',
  slow: true,
  options: FILTER_OPTIONS,
  async run(request, context) {
    const texts = textsFor(request.locale);
    const form = filterForm(request.options);
    const filter = readFilter(form, texts);
    await mustHaveToken(request, context);
    const notes = translations(form, filter, texts);
    return previewView(await context.services.preview(request.caller, filter), request, context, notes);
  },
  complete: async (option, typed, request) =>
    option === 'tags' ? tagChoices(typed) : countryChoices(typed, textsFor(request.locale)),
} satisfies Command;
