// The least yearly pay somebody asks for, as people type it into an option or a form.
import { isComparable } from './pay.js';

const SHAPE =
  /^[^\d-]{0,4}(\d[\d.,'’ \u00a0\u202f]*)(k)?\s*(?:[€$£]|[a-z]{3})?(?:\s*(?:\/|per)\s*(?:y|yr|year|a))?$/iu;
/** Nobody asks for eighty dollars a year. */
const LEAST = 1000;
const MOST = 10_000_000;

/** The floor is in dollars, or in a currency it may be compared with; an amount in any other is none. "80000", "80k", "$80,000", "80.5k" and "80" in whole units; undefined for what is no such amount. */
export function wantedPay(text: string): number | undefined {
  if (!isComparable(text)) return undefined;
  const [, digits = '', thousand] = SHAPE.exec(text.trim()) ?? [];
  const plain = digits.replace(/['’\s]/gu, '').replace(/[.,](?=\d{3}(?:\D|$))/gu, '');
  const amount = digits === '' ? Number.NaN : Number(plain.replace(',', '.'));
  const value = Math.round(thousand || amount < LEAST ? amount * 1000 : amount);
  return value >= LEAST && value <= MOST ? value : undefined;
}
