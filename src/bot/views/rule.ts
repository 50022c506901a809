// A rule of a filter, as the pipeline names it ("exclude: intern"), in the reader's language.
import { describeRule } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import type { Texts } from '../../render/texts.js';

export function ruleWords(rule: string, texts: Texts): string {
  return texts.describe.quoted({ phrase: ruleText(rule, texts) });
}

/** The same without quotes. Escaped. */
export function ruleText(rule: string, texts: Texts): string {
  return describeRule(rule, texts, escaped);
}
