// The lowest yearly pay a person asks for, as people type it into an option or a form.
import { isComparable } from './pay.js';
const SHAPE = /^[^\d-]{0,4}(\d[\d.,'’ \u00a0\u202f]*)(k)?\s*(?:[€$£]|[a-z]{3})?(?:\s*(?:\/|per)\s*(?:y|yr|year|a))?$/iu;
/** Smaller amounts are read as thousands, because they are too low for yearly pay. */
const LEAST = 1000;
const MOST = 10_000_000;
/**
 * Reads "80000", "80k", "$80,000" or "80.5k", and "80" as 80,000. Returns whole units of dollars, or of a currency
 * that can be compared with dollars. Undefined for any other text or currency.
 */
export function wantedPay(text) {
    if (!isComparable(text))
        return undefined;
    const [, digits = '', thousand] = SHAPE.exec(text.trim()) ?? [];
    const plain = digits.replace(/['’\s]/gu, '').replace(/[.,](?=\d{3}(?:\D|$))/gu, '');
    const amount = digits === '' ? Number.NaN : Number(plain.replace(',', '.'));
    const value = Math.round(thousand || amount < LEAST ? amount * 1000 : amount);
    return value >= LEAST && value <= MOST ? value : undefined;
}
//# sourceMappingURL=wanted-pay.js.map