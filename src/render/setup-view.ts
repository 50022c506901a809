// The views of the set-up page of a first start.
import type { PreviewReport } from '../ports/services.js';
import { previewView } from './admin-subscription.js';
import { textsFor } from './texts.js';

/** What was typed, except secrets, which no page repeats. */
export interface SetupForm {
  readonly url: string;
  readonly tags: string;
  readonly include: string;
  readonly country: string;
  readonly remote: boolean;
  readonly destination: string;
}

/** `isTried`: a token was accepted and is kept until the set-up is done. `faults`: one for each line. */
export function setupView(of: {
  readonly locale: string;
  readonly csrf: string;
  readonly form: SetupForm;
  readonly isTried: boolean;
  readonly faults: readonly string[];
  readonly preview: PreviewReport | undefined;
  readonly now: number;
}) {
  const { locale, now, preview, ...rest } = of;
  const texts = textsFor(locale);
  const source = URL.canParse(of.form.url) ? new URL(of.form.url).hostname : '';
  return {
    ...rest,
    lang: texts.intl,
    service: null,
    title: texts.page.setup.title,
    preview: preview ? previewView(preview, { locale, source, now }) : null,
  };
}

export function setupCodeView(locale: string, isWrong: boolean) {
  const texts = textsFor(locale);
  return { lang: texts.intl, service: null, title: texts.page.setup.codeTitle, isWrong };
}
