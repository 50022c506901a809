// What a person or program gets from each kind of output: the decoded text, and the targets of its links. Read as
// their programs read it, and not with the code that wrote it.
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import type { Email } from 'postal-mime';
import Parser from 'rss-parser';
import type { MessageRecord } from './discord/types.js';
import { controlsIn } from './discord/user-actions.js';
import { layoutText } from './discord/validate-layout.js';

export interface Shown {
  readonly words: string;
  readonly links: readonly string[];
  /** The markup itself, if there is any. */
  readonly html?: string;
}

const TAG = /<[a-z/!](?:"[^"]*"|'[^']*'|[^'">])*>/giu;

export function shownHtml(html: string): Shown {
  const tags = [...html.matchAll(TAG)].map(([tag]) => tag);
  const links = tags.flatMap((tag) => {
    const found = /\s(?:href|src|action|formaction)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/giu;
    return [...tag.matchAll(found)].map(([, a, b, c]) => decodeHTMLAttribute(a ?? b ?? c ?? ''));
  });
  const words = html.replace(/<(style|title)\b[\s\S]*?<\/\1>/giu, ' ').replace(TAG, ' ');
  return { html, links, words: decodeHTML(words) };
}

/** Elements that run something and attributes that do. */
export function activeParts(html: string): string[] {
  const tags = [...html.matchAll(TAG)].map(([tag]) => tag);
  return tags.filter((tag) => {
    const names = tag.replace(/"[^"]*"|'[^']*'/gu, '""');
    const runs = /^<(?:script|iframe|object|embed|base|svg:script)\b/iu.test(tag);
    return runs || /\son\w+\s*=/iu.test(names) || /http-equiv/iu.test(names);
  });
}

/** Plain text: a link is an address alone on a line. */
function shownText(text: string): Shown {
  const lines = text.split(/\r?\n/u);
  return { words: text, links: lines.filter((line) => /^[a-z][\w+.-]*:\/\/\S+$/iu.test(line)) };
}

export function shownMail(mail: Email): readonly Shown[] {
  return [shownHtml(mail.html ?? ''), shownText(mail.text ?? '')];
}

/** The links that Discord makes in a text: masked ones, and addresses in brackets or bare. */
function discordLinks(rendered: string): string[] {
  const text = rendered.replace(/(?<!\\)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/gu, ' ');
  const masked = /(?<!\\)(?:\\\\)*\[(?:\\.|[^\]\\])*\]\(<?([^)>]*)>?\)/gu;
  const targets = [...text.matchAll(masked)].map(([, target = '']) => target);
  const rest = text.replace(masked, ' ');
  const inBrackets = /<((?:https?|ftp|steam|discord):\/\/[^>\s]+)>/giu;
  const bracketed = [...rest.matchAll(inBrackets)].map(([, target = '']) => target);
  const bare = [...rest.replace(inBrackets, ' ').matchAll(/\b(?:https?|ftp|steam|discord):\/\/\S+/giu)];
  return [...targets, ...bracketed, ...bare.map(([target]) => target)];
}

export function shownMessage({ content, embeds, components, text }: MessageRecord): Shown {
  const rendered = [
    content,
    ...embeds.flatMap((one) => [one.title, one.description]),
    layoutText(components),
  ];
  const buttons = controlsIn(components);
  const urls = [...embeds, ...buttons].flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
  // An escaped sign is shown without its backslash.
  const words = text.replace(/\\(?=[\\*_~`|[\]<>@#+.)-])/gu, '');
  return { words, links: [...urls, ...rendered.flatMap((one) => discordLinks(String(one ?? '')))] };
}

/** JSON: a link is a text that is only an address. */
export function shownJson(json: string): Shown {
  const strings = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(strings);
  const all = strings(JSON.parse(json));
  return { words: all.join('\n'), links: all.filter((text) => /^[a-z][\w+.-]*:\/\//iu.test(text)) };
}

/** A feed as a feed reader shows it, with titles and descriptions as HTML; fails when it is not valid XML. */
export async function shownFeed(xml: string): Promise<Shown> {
  const { items } = await new Parser().parseString(xml);
  const page = shownHtml(items.map(({ title, content }) => `<h2>${title}</h2>\n${content}`).join('\n'));
  return { ...page, links: [...page.links, ...items.flatMap(({ link }) => (link ? [link] : []))] };
}
