// The least pay, in a currency and for a period, compared with the upper end of what the employer names. Amounts for
// other periods are converted, currencies are not.
import { defined } from '../defined.js';
import type { Pay } from '../pay.js';
import { parsePay, parseUnit, yearly } from '../pay.js';
import { wantedPay } from '../wanted-pay.js';
import { type Rule, UNKNOWN } from './rule.js';

/** Reads "80k", "€80k", "80,000 EUR/year" or "60 USD per hour" as "80000 EUR/year". Dollars and a year when not named. */
function floorIn(text: string): string | undefined {
  const bare = /^\s*[\d.,'’ ]+k?\s*$/iu.test(text) ? wantedPay(text) : undefined;
  if (bare !== undefined) return `${bare} USD/year`;
  const { min, currency, unit = 'year' } = parsePay(text) ?? {};
  if (min === undefined || (currency === undefined && /[^\d\s.,'’kK/a-z]/u.test(text))) return undefined;
  return asValue({ currency: currency ?? 'USD', unit }, Math.round(min));
}

const asValue = ({ currency, unit }: Pay, amount: number | undefined) => `${amount} ${currency}/${unit}`;

export const pay: Rule = {
  parse: floorIn,
  wanted: 'an amount such as "80k", "€70,000/year" or "60 USD/hour"',
  takes: 'one',
  match([value = ''], { pay: named }) {
    const [amount, currency = '', unit = ''] = value.split(/[ /]/u);
    const least = yearly(defined({ min: Number(amount), currency, unit: parseUnit(unit) }), currency);
    const offered = yearly(named, currency);
    if (named === undefined || offered === undefined || least === undefined) return UNKNOWN;
    const isEnough = offered >= least;
    return {
      is: isEnough ? 'yes' : 'no',
      saw: [asValue({ unit: 'year', ...named }, named.max ?? named.min)],
      met: isEnough ? [value] : [],
    };
  },
};
