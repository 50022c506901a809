// The texts of the simple web pages. They all use one view: a heading, a few sentences, and buttons or links.
import { type Texts, textsFor } from './texts.js';

/** A button that posts, or a link. `quiet`: the secondary choice. */
export interface PageAction {
  readonly label: string;
  readonly url: string;
  readonly post: boolean;
  readonly quiet: boolean;
}

export interface MessageView {
  readonly lang: string;
  readonly title: string;
  readonly service: string;
  readonly texts: readonly string[];
  readonly actions: readonly PageAction[];
}

type PageTexts = Texts['page'];

/** Returns a page in the reader's language. `say` selects its texts. */
export function messageView(
  locale: string,
  source: string,
  say: (page: PageTexts) => {
    readonly title: string;
    readonly texts: readonly (string | undefined)[];
    readonly actions?: readonly PageAction[];
  },
): MessageView {
  const texts = textsFor(locale);
  const { title, texts: sentences, actions = [] } = say(texts.page);
  return {
    lang: texts.intl,
    title,
    service: texts.page.service({ source }),
    texts: sentences.filter((sentence) => sentence !== undefined),
    actions,
  };
}

export function button(label: string, url: string): PageAction {
  return { label, url, post: true, quiet: false };
}

export function quietButton(label: string, url: string): PageAction {
  return { label, url, post: true, quiet: true };
}

export function quietLink(label: string, url: string): PageAction {
  return { label, url, post: false, quiet: true };
}
