// Pay decides who sees a posting (minSalary), so the forms that people really write are listed here line by line.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isComparable,
  medianPay,
  type Pay,
  parseCurrency,
  parsePay,
  parseUnit,
  paySpan,
  renderPay,
  saysMore,
  shortPay,
  yearly,
} from '../../src/domain/pay.js';
import { wantedPay } from '../../src/domain/wanted-pay.js';
import { en, textsFor } from '../../src/render/texts.js';

const range = (min: number, max: number, currency?: string, unit?: Pay['unit']): Pay => ({
  min,
  max,
  ...(currency ? { currency } : {}),
  ...(unit ? { unit } : {}),
});

describe('what employers write', () => {
  test.each<[string, Pay | undefined]>([
    ['$80k - 120k', range(80_000, 120_000, 'USD')],
    ['$80k – $120k / year', range(80_000, 120_000, 'USD', 'year')],
    ['80-120k EUR', range(80_000, 120_000, 'EUR')],
    ['between 80 and 120k', range(80_000, 120_000)],
    ['$80K to $120K a year', range(80_000, 120_000, 'USD', 'year')],
    ['$120k - $80k', range(80_000, 120_000, 'USD')],
    ['100000 - 150000 USD', range(100_000, 150_000, 'USD')],
    ['$80,000.00 - $120,000.00', range(80_000, 120_000, 'USD')],
    ['60 000 € – 70 000 €', range(60_000, 70_000, 'EUR')],
    ["CHF 120'000", range(120_000, 120_000, 'CHF')],
    ['EUR 60.000,00', range(60_000, 60_000, 'EUR')],
    ['€5.000/month', range(5_000, 5_000, 'EUR', 'month')],
    ['$50 - $70 / hour', range(50, 70, 'USD', 'hour')],
    ['$50/hr', range(50, 50, 'USD', 'hour')],
    ['$1.5M', range(1_500_000, 1_500_000, 'USD')],
    ['1,5k', range(1_500, 1_500)],
    ['0.125 BTC', range(0.125, 0.125, 'BTC')],
    ['8-10 SOL/month', range(8, 10, 'SOL', 'month')],
    ['150k USDC yearly', range(150_000, 150_000, 'USDC', 'year')],
    ['USD 60,000 p.a.', range(60_000, 60_000, 'USD', 'year')],
    ['$80k+', { min: 80_000, currency: 'USD' }],
    ['from 80k', { min: 80_000 }],
    ['ab 60.000 €', { min: 60_000, currency: 'EUR' }],
    ['up to $80k', { max: 80_000, currency: 'USD' }],
    ['$100k + equity', { min: 100_000, currency: 'USD' }],
    ['$80k, bonus + equity', range(80_000, 80_000, 'USD')],
    ['$1,000 - 2k', range(1000, 2000, 'USD')],
    ['10 to $10k', range(10_000, 10_000, 'USD')],
    ['max. $80k', { max: 80_000, currency: 'USD' }],
    ['max $80k', { max: 80_000, currency: 'USD' }],
    ['<$80k', { max: 80_000, currency: 'USD' }],
    ['bis 60.000 €', { max: 60_000, currency: 'EUR' }],
    ['bis zu 60.000 €', { max: 60_000, currency: 'EUR' }],
    ['hasta 60.000 €', { max: 60_000, currency: 'EUR' }],
    ['min $80k', { min: 80_000, currency: 'USD' }],
    ['min. $80k', { min: 80_000, currency: 'USD' }],
    ['>80k', { min: 80_000 }],
    ['at least 80k', { min: 80_000 }],
    ['from home, up to you, $80k', range(80_000, 80_000, 'USD')],
    ['$80,000., great', range(80_000, 80_000, 'USD')],
    ['90 or 100', range(90, 90)],
    ['100 days off, 90 to 95', range(90, 95)],
    ['5, €7', range(7, 7, 'EUR')],
    ['0 - 80k', undefined],
  ])('%s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each<[string, Pay | undefined]>([
    ['₩90,000,000', range(90_000_000, 90_000_000, 'KRW')],
    ['KRW 80,000,000 ~ 100,000,000', range(80_000_000, 100_000_000, 'KRW')],
    ['90,000,000원', range(90_000_000, 90_000_000, 'KRW')],
    ['₱120,000 - ₱180,000 per month', range(120_000, 180_000, 'PHP', 'month')],
    ['PHP 120,000/month', range(120_000, 120_000, 'PHP', 'month')],
    ['ZAR 950,000 per annum', range(950_000, 950_000, 'ZAR', 'year')],
    ['R 950 000 - R 1 200 000 p.a.', range(950_000, 1_200_000, 'ZAR', 'year')],
    ['R65k pm', range(65_000, 65_000, 'ZAR')],
    ['20 000 - 25 000 zł / month', range(20_000, 25_000, 'PLN', 'month')],
    ['25 000 PLN + VAT', { min: 25_000, currency: 'PLN' }],
    ['18000ZŁ', range(18_000, 18_000, 'PLN')],
    ['A$150k - A$180k', range(150_000, 180_000, 'AUD')],
    ['S$9,000 – S$12,000 monthly', range(9_000, 12_000, 'SGD', 'month')],
    ['R$ 15.000 - R$ 20.000 / mês', range(15_000, 20_000, 'BRL')],
    ['C$120,000', range(120_000, 120_000, 'CAD')],
    ['CA$120,000', range(120_000, 120_000, 'CAD')],
    ['NZ$130k', range(130_000, 130_000, 'NZD')],
    ['HK$60,000 per month', range(60_000, 60_000, 'HKD', 'month')],
    ['NT$1,800,000 yearly', range(1_800_000, 1_800_000, 'TWD', 'year')],
    ['MX$60,000 monthly', range(60_000, 60_000, 'MXN', 'month')],
    ['US$120k', range(120_000, 120_000, 'USD')],
    ['$120,000 CAD', range(120_000, 120_000, 'CAD')],
    ['AUD$150k', range(150_000, 150_000, 'AUD')],
    ['CAD 100-120k', range(100_000, 120_000, 'CAD')],
    ['100k-120k (AUD)', range(100_000, 120_000, 'AUD')],
    ['120000EUR', range(120_000, 120_000, 'EUR')],
    ['120kUSD', range(120_000, 120_000, 'USD')],
    ['usd: 90k', range(90_000, 90_000, 'USD')],
    ['₹30,00,000', range(3_000_000, 3_000_000, 'INR')],
    ['₹25,00,000 – ₹40,00,000 per annum', range(2_500_000, 4_000_000, 'INR', 'year')],
    ['INR 1,20,00,000.50', range(12_000_000.5, 12_000_000.5, 'INR')],
    ['30 LPA', range(3_000_000, 3_000_000, 'INR', 'year')],
    ['12-18 LPA', range(1_200_000, 1_800_000, 'INR', 'year')],
    ['₹30L - ₹45L', range(3_000_000, 4_500_000, 'INR')],
    ['25 to 40 lakhs per annum', range(2_500_000, 4_000_000, 'INR', 'year')],
    ['Rs. 1.2 crore', range(12_000_000, 12_000_000)],
    ['PKR 5 lakh / month', range(500_000, 500_000, 'PKR', 'month')],
    ['CHF 120k–150k', range(120_000, 150_000, 'CHF')],
    ['SEK 55 000 / month', range(55_000, 55_000, 'SEK', 'month')],
    ['650 000 kr NOK', range(650_000, 650_000, 'NOK')],
    ['¥8,000,000 JPY', range(8_000_000, 8_000_000, 'JPY')],
    ['CN¥ 30,000 per month', range(30_000, 30_000, 'CNY', 'month')],
    ['RMB 30k-50k', range(30_000, 50_000, 'CNY')],
    ['¥200k RMB (CNY)', range(200_000, 200_000, 'CNY')],
    ['8,000,000円', range(8_000_000, 8_000_000, 'JPY')],
    ['2 ETH per month', range(2, 2, 'ETH', 'month')],
    ['$150k paid in USDC', range(150_000, 150_000, 'USDC')],
    ['90 million KRW', range(90_000_000, 90_000_000, 'KRW')],
    ['E£60,000 monthly', range(60_000, 60_000, 'EGP', 'month')],
    ['＄100k', range(100_000, 100_000, 'USD')],
    ['₨ 200,000 PKR', range(200_000, 200_000, 'PKR')],
    ['Kr. 500 000 SEK', range(500_000, 500_000, 'SEK')],
    ['30 lpa', range(3_000_000, 3_000_000, 'INR', 'year')],
    ['3 lakh', range(300_000, 300_000, 'INR')],
    ['5 lac', range(500_000, 500_000, 'INR')],
    ['2 lacs', range(200_000, 200_000, 'INR')],
    ['2 crore', range(20_000_000, 20_000_000, 'INR')],
    ['3 crores', range(30_000_000, 30_000_000, 'INR')],
    ['3 lakhs or 4k EUR', range(300_000, 300_000, 'EUR')],
    ['90 (100,000 in USD or EUR)', range(90, 90)],
    ['100,00,000.5 INR', undefined],
    ['$100k EUR', range(100_000, 100_000)],
    ['$/£ 100k', range(100_000, 100_000)],
    ['5 lakh / month', range(500_000, 500_000, 'INR', 'month')],
    ['$100k, paid in CAD or AUD', range(100_000, 100_000)],
    ['AED 35,000 - 48,000 monthly', range(35_000, 48_000, 'AED', 'month')],
  ])('%s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each<[string, Pay]>([
    // Yen or yuan, three crowns, five rupees: a guess is worse than nothing.
    ['¥8,000,000', range(8_000_000, 8_000_000)],
    ['600 000 kr', range(600_000, 600_000)],
    ['kr. 600.000', range(600_000, 600_000)],
    ['Rs 200,000', range(200_000, 200_000)],
    ['₭90,000,000', range(90_000_000, 90_000_000)],
    ['Z$90,000', range(90_000, 90_000)],
    ['80-120k', range(80_000, 120_000)],
    ['£60k - €70k', range(60_000, 70_000)],
    ['€ 60,000 USD', range(60_000, 60_000)],
  ])('uses no currency that is not certain: %s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each<[string, Pay]>([
    ['R&D, level R2, $100k', range(100_000, 100_000, 'USD')],
    ['R 4 years, 100k', range(100_000, 100_000)],
    ['$100k or 30 ETH', range(100_000, 100_000, 'USD')],
    ['€70k (about $75k)', range(70_000, 70_000, 'EUR')],
    ['try us: 80k', range(80_000, 80_000)],
    ['20 years experience, $100k', range(100_000, 100_000, 'USD')],
    ['$100k, 20 days off', range(100_000, 100_000, 'USD')],
    ['401k match, $120,000 per year', range(120_000, 120_000, 'USD', 'year')],
    ['Equity 0.5% - 1%, $100K', range(100_000, 100_000, 'USD')],
    ['4-day week, $100k', range(100_000, 100_000, 'USD')],
    ['$100k per year, monthly bonus', range(100_000, 100_000, 'USD', 'year')],
    ['10x engineer: $100k', range(100_000, 100_000, 'USD')],
  ])('other numbers are not the pay: %s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each(['', '-', 'Competitive', 'web3', 'up to you', '0', '401k', '401 (k)', '0.5% - 1%'])(
    '%j states no pay',
    (text) => {
      expect(parsePay(text)).toBeUndefined();
    },
  );

  test('an amount at the end of a page is no statement of pay', () => {
    expect(parsePay(`${'words '.repeat(100)} $100k`)).toBeUndefined();
  });

  test('never throws, and returns nothing that is not an amount', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[$€ 0-9.,km–-]{0,40}$/u)), (text) => {
        const pay = parsePay(text);
        if (pay === undefined) return;
        for (const value of [pay.min, pay.max])
          if (value !== undefined) expect(Number.isFinite(value) && value > 0).toBe(true);
        if (pay.min !== undefined && pay.max !== undefined) expect(pay.min).toBeLessThanOrEqual(pay.max);
      }),
    );
  });

  test.each(['1', '1 ', '1,', '$', '1 000 ', "1'", 'k'])(
    '%j repeated is read quickly',
    (part) => {
      parsePay(part.repeat(100_000));
    },
    10_000,
  );
});

test.each([
  ['YEAR', 'year'],
  ['MONTH', 'month'],
  ['HOUR', 'hour'],
  ['per week', 'week'],
  ['/day', 'day'],
  ['annually', 'year'],
  ['pro Stunde', 'hour'],
  ['', undefined],
  ['holiday', undefined],
  ['a 4-day week', undefined],
])('the unit in %j is %s', (text, unit) => {
  expect(parseUnit(text)).toBe(unit);
});

test.each<[Pay | undefined, number | undefined]>([
  [range(80_000, 120_000, 'USD', 'year'), 120_000],
  [range(80_000, 120_000, 'USD'), 120_000],
  [range(5_000, 6_000, 'EUR', 'month'), 72_000],
  [range(50, 60, 'USD', 'hour'), 124_800],
  [range(5_000, 5_000, 'USD'), undefined],
  [{ min: 10_000, currency: 'USD' }, 10_000],
  [{ min: 50_000, currency: 'USD' }, 50_000],
  [{ currency: 'USD', unit: 'year' }, undefined],
  // No currency does not mean dollars.
  [{ min: 80_000 }, undefined],
  [range(90_000_000, 90_000_000, undefined, 'year'), undefined],
  [range(90_000_000, 90_000_000, 'KRW', 'year'), undefined],
  [range(8_000_000, 9_000_000, 'JPY', 'year'), undefined],
  [range(1, 2, 'ETH', 'month'), undefined],
  [{}, undefined],
  [undefined, undefined],
])('%j is %s a year', (pay, value) => {
  expect(yearly(pay)).toBe(value);
});

test.each([
  ['USD', 'USD'],
  ['krw', 'KRW'],
  [' xyz ', 'XYZ'],
  ['usdkr', 'USDKR'],
  ['A$ or so', 'AUD'],
  ['rmb', 'CNY'],
  ['krona', undefined],
  ['€', 'EUR'],
  ['$', 'USD'],
  ['A$', 'AUD'],
  ['XYZ', 'XYZ'],
  ['kr', undefined],
  ['¥', undefined],
  ['dollars or so', undefined],
  ['', undefined],
])('the field %j names %s', (text, currency) => {
  expect(parseCurrency(text)).toBe(currency);
});

test.each([
  ['80k', true],
  ['$80k', true],
  ['EUR', true],
  ['80k INR', false],
  ['¥80k', false],
])('%s can be compared with dollars: %s', (text, is) => {
  expect(isComparable(text)).toBe(is);
});

test('the unit is not searched for at the end of a page', () => {
  expect(parseUnit(`${'words '.repeat(50)}per month`)).toBeUndefined();
});

test.each([
  ['80000', 80_000],
  ['80k', 80_000],
  ['80', 80_000],
  ['80.5k', 80_500],
  ['80,5k', 80_500],
  ['100.5', 100_500],
  ['120000.4', 120_000],
  ['$80,000', 80_000],
  ["80'000", 80_000],
  ['60 000 €', 60_000],
  ['€80.000/year', 80_000],
  [' 80k per year ', 80_000],
  ['1,000,000', 1_000_000],
  ['999', 999_000],
  ['1000', 1000],
  ['1', 1000],
  ['0.5', undefined],
  ['10000000', 10_000_000],
  ['10000001', undefined],
  ['80k INR', undefined],
  ['¥80', undefined],
  ['-5', undefined],
  ['80k per month', undefined],
  ['a lot', undefined],
  ['', undefined],
])('%j as the least pay is %s a year', (text, amount) => {
  expect(wantedPay(text)).toBe(amount);
});

describe('the median', () => {
  const five = (currency?: string, unit?: Pay['unit'], by = 1) =>
    [1, 2, 3, 4, 5].map((n) => range(n * 10_000 * by, n * 30_000 * by, currency, unit));

  test('is of five in one currency and for one period, and names both', () => {
    expect(medianPay(five('USD', 'year'))).toEqual(range(60_000, 60_000, 'USD', 'year'));
    expect(medianPay(five('KRW', 'year', 1000))).toEqual(range(60_000_000, 60_000_000, 'KRW', 'year'));
    expect(medianPay(five('ETH', 'month', 0.0001))).toEqual(range(6, 6, 'ETH', 'month'));
    expect(medianPay(five('USD', 'hour', 0.001))).toEqual(range(60, 60, 'USD', 'hour'));
    // A year is assumed where an amount can mean nothing else.
    expect(medianPay(five('EUR'))).toEqual(range(60_000, 60_000, 'EUR', 'year'));
  });

  test('does not mix kinds, and does not treat an unknown one as dollars', () => {
    const four = (currency?: string, unit?: Pay['unit']) => five(currency, unit).slice(1);
    expect(
      medianPay([...four('USD', 'year'), ...four('EUR', 'year'), ...four('USD', 'month')]),
    ).toBeUndefined();
    expect(medianPay([...four('USD', 'year'), ...five(undefined, 'year', 1000)])).toBeUndefined();
    expect(medianPay(five('KRW', undefined, 1000))).toBeUndefined();
    expect(
      medianPay([...five('USD', 'year'), ...five('EUR', 'month'), range(1, 1, 'EUR', 'month')]),
    ).toMatchObject({
      currency: 'EUR',
      unit: 'month',
    });
    expect(medianPay([undefined, {}])).toBeUndefined();
  });

  test('is the middle one in any order, and of an even number between two', () => {
    const pays = [90_000, 20_000, 30_000, 9_000, 41_234].map((n) => range(n, n, 'USD', 'year'));
    expect(medianPay(pays)).toEqual(range(30_000, 30_000, 'USD', 'year'));
    expect(medianPay([...pays, range(50_000, 50_000, 'USD', 'year')])).toEqual(
      range(35_600, 35_600, 'USD', 'year'),
    );
    expect(medianPay([...pays, { min: 50_000, currency: 'USD' }, { currency: 'USD', unit: 'year' }])).toEqual(
      range(35_600, 35_600, 'USD', 'year'),
    );
  });
});

test('the span goes from the lowest to the highest amount of the most common kind', () => {
  const pays = [
    range(50_000, 90_000, 'USD', 'year'),
    range(1, 9, 'ETH', 'month'),
    { min: 40_000, currency: 'USD' },
    { max: 60_000, currency: 'USD' },
    undefined,
  ];
  expect(paySpan(pays)).toEqual(range(40_000, 90_000, 'USD', 'year'));
  expect(paySpan([undefined])).toBeUndefined();
});

test.each<[string, Pay, boolean]>([
  ['$80k – $120k', range(80_000, 120_000), false],
  ['$80k – $120k per year', range(80_000, 120_000), false],
  ['80 000 to 120 000 USD p.a.', range(80_000, 120_000), false],
  ["CHF 120'000", range(120_000, 120_000), false],
  ['$80k a month', range(80_000, 80_000), false],
  ['30 lakhs', range(3_000_000, 3_000_000), false],
  ['', {}, false],
  ['$52,728', range(52_728, 52_728), true],
  ['$50k – $52,728', range(50_000, 52_728), true],
  ['$80k, 20 days off', range(80_000, 80_000), true],
  ['$80k or 90', range(80_000, 80_000), true],
  ['$80k 90', range(80_000, 80_000), true],
  ['up to $80k', { max: 80_000 }, true],
  ['$80k gross', range(80_000, 80_000), true],
  ['$80k path', range(80_000, 80_000), true],
  ['$80k ramp', range(80_000, 80_000), true],
  ['2000 100 USD', range(2_000_100, 2_000_100), true],
  [`$80k${' '.repeat(300)}gross`, range(80_000, 80_000), false],
])('%j says more than its amounts %j: %s', (said, pay, is) => {
  expect(saysMore(said, pay)).toBe(is);
});

describe('for people', () => {
  const WORDS = en.card;

  test.each<[string, string]>([
    ['$140,000 - $180,000 plus tokens', '$140k–180k + tokens'],
    ['$140k-180k (+ tokens & equity)', '$140k–180k + tokens + equity'],
    ['₹30L - ₹45L', '₹30L–45L'],
    ['₹30,00,000 – ₹1,20,00,000', '₹30L–1.2Cr'],
    ['€2.000 per month', '€2k/month'],
    ['$60 - $80 per hour', '$60–80/hour'],
    ['$1,200 per day', '$1.2k/day'],
    ['$52,728 – $98,134', '$52.7k–98.1k'],
    ['$999,900', '$1M'],
    ['CHF 120,000 - 150,000', '120k–150k CHF'],
    ['8-10 SOL/month', '8–10 SOL/month'],
    ['0.125 BTC', '0.125 BTC'],
    ['up to $80k', 'up to $80k'],
    ['$80k+', '$80k+'],
    // The plus belongs to the equity.
    ['$100k + equity', '$100k + equity'],
    ['$180k - $220k base + commission', '$180k–220k + commission'],
    // A year is named only where it is not assumed anyway.
    ['$80k – $120k / year', '$80k–120k'],
    ['₩90,000,000 per year', '₩90M/year'],
    ['$5,000 per year', '$5k/year'],
    // Not beside the pay, but the pay itself, or none at all.
    ['$150k paid in tokens', '$150k'],
    ['$150k and no equity', '$150k'],
    ['$999,499', '$999k'],
    ['$999.5', '$1k'],
    ['$1,000', '$1k'],
    ['$10,000 per month', '$10k/month'],
    ['80,000', '80k'],
    [`$150k${' '.repeat(300)}plus tokens`, '$150k'],
  ])('%s is short: %s', (said, short) => {
    expect(shortPay(parsePay(said) ?? {}, WORDS, said)).toBe(short);
  });

  test('is in their language, and nothing without an amount', () => {
    const pay = range(5000, 6000, 'EUR', 'month');
    expect(shortPay(pay, textsFor('de').card)).toBe('€5k–6k/Monat');
    expect(shortPay({ max: 6000, currency: 'EUR', unit: 'hour' }, textsFor('es').card)).toBe(
      'hasta €6k/hora',
    );
    expect(shortPay({ currency: 'EUR', unit: 'year' }, WORDS, 'plus tokens')).toBe('');
  });

  test.each(['+ ', '+ a ', 'plus ', ', no '])('%j repeated is read quickly', (part) => {
    shortPay({ min: 1 }, WORDS, part.repeat(100_000));
  });
});

describe('in words', () => {
  test.each<[Pay, string]>([
    [range(80_000, 120_000, 'USD', 'year'), '$80k–$120k / year'],
    [range(80_500, 80_500, 'EUR'), '€80.5k'],
    [range(81_234, 90_000, 'GBP'), '£81,234–£90k'],
    [range(8, 10, 'SOL', 'month'), '8–10 SOL / month'],
    [range(1_500_000, 1_500_000, 'USD'), '$1.5M'],
    [{ min: 120_000, currency: 'CHF' }, '120k+ CHF'],
    [{ min: 1_000_000 }, '1M+'],
    [{ min: 1_234_500 }, '1234.5k+'],
    [{ min: 1000 }, '1k+'],
    [{ min: 500 }, '500+'],
    [{ max: 120_000, currency: 'CHF', unit: 'year' }, 'up to 120k CHF / year'],
    [{ currency: 'USD', unit: 'year' }, ''],
  ])('%j', (pay, text) => {
    expect(renderPay(pay)).toBe(text);
  });

  test('can be read back with the same meaning', () => {
    // 401k is left out: in a posting it is the pension plan, not pay.
    const money = fc
      .integer({ min: 1, max: 999 })
      .filter((value) => value !== 401)
      .map((value) => value * 1000);
    fc.assert(
      fc.property(
        money,
        money,
        fc.constantFrom('USD', 'EUR', 'CHF', 'ETH'),
        fc.constantFrom<Pay['unit'][]>('year', 'month', 'hour', undefined),
        (a, b, currency, unit) => {
          const pay = range(Math.min(a, b), Math.max(a, b), currency, unit);
          expect(parsePay(renderPay(pay))).toEqual(pay);
        },
      ),
    );
  });
});
