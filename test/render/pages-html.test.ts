// The web pages as markup, checked by an independent validator in every language.
import { HtmlValidate } from 'html-validate';
import { expect, test } from 'vitest';
import { samplePages } from '../../src/render/sample-pages.js';
import { testTemplates } from '../helpers/mail.js';

const PAGES = { en: samplePages('en'), de: samplePages('de'), es: samplePages('es') };
const templates = testTemplates();

test.each(Object.keys(PAGES.en))('the page %s is valid HTML', async (name) => {
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: {
      'no-trailing-whitespace': 'off',
      'long-title': 'off',
      'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button'] }],
    },
  });
  for (const [locale, pages] of Object.entries(PAGES))
    for (const view of pages[name]!) {
      const { results } = await validator.validateString(templates.page(name, locale, view));
      expect(
        results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId} ${message}`)),
      ).toEqual([]);
    }
});
