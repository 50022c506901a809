// The web pages as markup, checked by an independent validator in every language.
import { HtmlValidate } from 'html-validate';
import { expect, test } from 'vitest';
import { samplePages } from '../../src/render/sample-pages.js';
import { testTemplates } from '../helpers/mail.js';

const PAGES = samplePages();
const templates = testTemplates();

test.each(Object.keys(PAGES))('the page %s is valid HTML', async (name) => {
  const validator = new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: {
      'no-trailing-whitespace': 'off',
      'long-title': 'off',
      'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button'] }],
    },
  });
  for (const locale of ['en', 'de', 'es'])
    for (const view of samplePages(locale)[name]!) {
      const { results } = await validator.validateString(templates.page(name, locale, view));
      expect(
        results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId} ${message}`)),
      ).toEqual([]);
    }
});
