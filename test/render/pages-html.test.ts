// The web pages as markup, checked by an independent validator in every language.
import { HtmlValidate } from 'html-validate';
import { expect, test } from 'vitest';
import { samplePages } from '../../src/render/sample-pages.js';
import { testTemplates } from '../helpers/mail.js';

const PAGES = samplePages('en');
const templates = testTemplates();
const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button'] }],
  },
});

async function check(name: string, locale: string, views: readonly object[]): Promise<void> {
  for (const view of views) {
    const { results } = await validator.validateString(templates.page(name, locale, view));
    const faults = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message }) => `${ruleId} ${message}`),
    );
    expect(faults, `${name} in ${locale}`).toEqual([]);
  }
}

test.each(Object.entries(PAGES))('the page %s is valid HTML', { tags: 'long' }, (name, views) =>
  check(name, 'en', views),
);

test.each(['de', 'es'])('every page is valid HTML in %s', { tags: 'long' }, async (locale) => {
  for (const [name, views] of Object.entries(samplePages(locale))) await check(name, locale, views);
});
