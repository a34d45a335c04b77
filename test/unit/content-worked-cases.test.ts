import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInRelease, builtInReleases } from '../../shared/catalog/built-in.ts';
import { listOffsets, readTax } from '../../shared/catalog/local/packed-table.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import { chooseRule, type Taxing } from '../../shared/tax/rule-choice.ts';
import cases from '../fixtures/worked-cases-local.json' with { type: 'json' };
import { ask, getProduct } from '../support/builders.ts';
import { expectWarnings, productTaxes, readCases } from '../support/facts.ts';
import { town, withLocals } from '../support/local-content.ts';
import { onlyShipping } from '../support/sales.ts';
import { buildRequest, getFound, type WorkedCase } from '../support/worked-case.ts';

/**
 * Worked cases from revenue departments, statutes and vendors (id in each title), with the built-in rules and the
 * local rates of each case. Amounts are typed by hand.
 */

const line = (product_tax_code: string, unit_price: string, others: object = {}) => ({
  product_tax_code,
  unit_price,
  ...others,
});
describe('fees', () => {
  it('charges the retail delivery fee of Minnesota once per order, regardless of the quantity of its line', () => {
    const quantity = { quantity: '3' };
    const line_items = [line('GENERAL', '500.00'), line('FEES.RETAIL_DELIVERY_FEE', '0.00', quantity)];
    expect(ask({ to: { state: 'MN' }, line_items }).line_items[1]?.tax_amount).toBe('0.50');
  });

  const colorado = (code: string, tax_date: string) =>
    ask({
      to: { state: 'CO' },
      tax_date,
      line_items: [line(code, '10.00'), line('FEES.RETAIL_DELIVERY_FEE', '0.00')],
    });
  it.each([
    ['FOOD.PREPARED_FOOD', '2026-06-30', '0.28'],
    ['FOOD.GROCERY', '2026-06-30', '0.00'],
  ])('charges the retail delivery fee of Colorado on a delivery of %s on %s: %s', (code, tax_date, tax) =>
    expect(colorado(code, tax_date).line_items[1]?.tax_amount).toBe(tax),
  );
  it('charges the last published retail delivery fee of Colorado from July 2026, with a warning', () => {
    const outcome = colorado('GENERAL', '2026-07-01');
    expect(outcome.line_items[1]?.tax_amount).toBe('0.28');
    expect(outcome.warnings).toContainEqual(
      expect.objectContaining({
        code: 'content_unconfirmed',
        message: expect.stringContaining('is not established'),
      }),
    );
    expect(colorado('GENERAL', '2026-06-30').warnings.map(({ message }) => message)).not.toContainEqual(
      expect.stringContaining('is not established; the last'),
    );
  });
});

describe('exemptions of bullion and coins above an amount per sale', () => {
  type Sold = readonly [code: string, price: string];
  const taxes = (state: string, goods: readonly Sold[], tax_date = '2026-11-20') =>
    ask({ to: { state }, tax_date, line_items: goods.map(([code, price]) => line(`GENERAL${code}`, price)) })
      .line_items.map(({ tax_amount }) => tax_amount)
      .join(' ');
  it.each<[string, Sold, Sold, string, string]>([
    ['CA', ['._BULLION', '1200.00'], ['._COINS', '800.00'], '0.00 0.00', '18 CCR 1599(a)(3)(A): the total of both'],
    ['CA', ['._BULLION', '1200.00'], ['._COINS', '799.99'], '87.00 58.00', 'less than 2,000'],
    ['CA', ['._BULLION', '1200.00'], ['', '800.00'], '87.00 58.00', 'other goods do not count'],
    ['CT', ['._BULLION', '600.00'], ['._BULLION', '400.00'], '0.00 0.00', 'DRS answer 708: no item need reach it'],
    ['CT', ['._BULLION', '600.00'], ['._BULLION', '399.99'], '38.10 25.40', 'Conn. Gen. Stat. 12-412(45)'],
    ['CT', ['._BULLION', '600.00'], ['._COINS', '400.00'], '38.10 0.00', 'rare coins are exempt at any price'],
    [
      'MA',
      ['._BULLION', '500.00'],
      ['._COINS', '500.00'],
      '0.00 0.00',
      'M.G.L. c. 64H s. 6(ll): sales of 1,000 or more',
    ],
    ['MA', ['._BULLION', '500.00'], ['._COINS', '499.92'], '31.25 31.25', 'a sale of 999.92'],
    ['NY', ['._BULLION', '600.00'], ['._BULLION', '400.01'], '0.00 0.00', 'TSB-M-89(20)S: the invoice exceeds 1,000'],
    ['NY', ['._BULLION', '600.00'], ['._BULLION', '400.00'], '24.00 16.00', 'the invoice does not exceed 1,000'],
    ['FL', ['._COINS', '300.00'], ['._COINS', '200.01'], '0.00 0.00', 'Rule 12A-1.0371(3)(a): in a single transaction'],
    ['FL', ['._COINS', '300.00'], ['._COINS', '200.00'], '18.00 12.00', 'does not exceed 500'],
  ])('taxes in %s %o and %o: %s (%s)', (state, first, second, expected) =>
    expect(taxes(state, [first, second])).toBe(expected),
  );

  it('adds up coins and bullion separately where each has its own exemption: 12A-1.0371(3)(a) and (b)', () => {
    const goods = [
      ['._COINS', '300.00'],
      ['._BULLION', '300.00'],
    ] as const;
    expect(taxes('FL', goods, '2025-07-31')).toBe('18.00 18.00');
  });

  it('counts the prices after discounts, and only the goods that are delivered to the state', () => {
    const bullion = (unit_price: string, others: object = {}) => line('GENERAL._BULLION', unit_price, others);
    const texas = { customer: { address: { state: 'TX' } } };
    const getTaxes = (line_items: readonly object[], discount_amount = '0.00') =>
      ask({ to: { state: 'NY' }, discount_amount, line_items }).line_items.map(({ tax_amount }) => tax_amount);
    expect(getTaxes([bullion('600.00'), bullion('500.00')], '100.00')).toEqual(['21.82', '18.18']);
    expect(getTaxes([bullion('600.00'), bullion('500.00', { discount_amount: '99.99' })])).toEqual(['0.00', '0.00']);
    expect(getTaxes([bullion('600.00'), bullion('500.00', texas)])).toEqual(['24.00', '0.00']);
  });

  it('counts goods once if several jurisdictions tax them', () => {
    const to = { city: 'New York', state: 'NY', postal_code: '10001' };
    const getTaxes = (...prices: string[]) =>
      ask({
        to,
        tax_date: '2026-11-20',
        line_items: prices.map((price) => line('GENERAL._BULLION', price)),
      }).line_items.map(({ tax_amount }) => tax_amount);
    // The state taxes 4 %, the city 4.5 % and the commuter district 0.375 %.
    expect(getTaxes('600.00', '400.00')).toEqual(['53.25', '35.50']);
    expect(getTaxes('600.00', '400.01')).toEqual(['0.00', '0.00']);
  });
});

/**
 * Worked cases of local taxes: the tax on an order at a place, computed by hand from the law and independently of the
 * code. Each case gives its reason. Rates are from the built-in tables.
 */

type LocalCase = WorkedCase & {
  readonly topic: string;
  readonly city: string;
  /** The address is within the city limits, but most residents of the ZIP live outside, so the case uses highest_rate. */
  readonly in_city?: boolean;
  readonly because: string;
  /** `warns` lists the codes of warnings about rules. Without it, there are none. */
  readonly expected: { readonly shipping_tax?: string; readonly warns?: readonly string[] };
};

/** The client's request, including the product tax code of the shipping. */
const sent = (one: LocalCase) => {
  const request = buildRequest(one);
  const charge = one.input.lines?.find(({ ptc }) => ptc.startsWith('SHIPPING'));
  return {
    ...request,
    customer: { address: { ...request.customer.address, city: one.city } },
    ...(request.shipping && charge ? { shipping: { ...request.shipping, product_tax_code: charge.ptc } } : {}),
  };
};

const solve = (one: LocalCase): Outcome => {
  const request = sent(one);
  const ambiguous_address = one.in_city ? 'highest_rate' : 'warn';
  return ask(request, { settings: { ambiguous_address }, today: request.tax_date });
};

/** The codes of warnings about rules, without warnings about the rate of a place. */
const uncertaintiesAboutRules = ({ warnings }: Outcome): readonly string[] =>
  warnings
    .filter(({ code, message }) => code === 'taxability_not_established' || message.includes(', rule '))
    .map(({ code }) => code);

const localCases = readCases<LocalCase>(cases, {
  required: ['id', 'topic', 'state', 'city', 'zip', 'date', 'input', 'expected', 'because', 'citation'],
  optional: ['in_city'],
});
readCases<LocalCase['expected']>(
  localCases.map(({ expected }) => expected),
  { required: ['tax_total'], optional: ['shipping_tax', 'rows', 'warns'] },
);

describe.each(Object.entries(Object.groupBy(localCases, ({ topic }) => topic)))('%s', (_, group) => {
  it.each(group ?? [])('$id: $because', (one) => {
    const outcome = solve(one);
    const { tax_total, shipping_tax, rows = [], warns = [] } = one.expected;
    expect(outcome.tax_amount).toBe(tax_total);
    if (shipping_tax !== undefined) expect(onlyShipping(outcome.shipping)?.tax_amount).toBe(shipping_tax);
    for (const row of rows)
      expect(getFound(outcome, row, one), `${row.level} ${row.percent}`).toEqual({ base: row.base, tax: row.tax });
    const uncertainties = uncertaintiesAboutRules(outcome);
    for (const code of warns) expect(uncertainties).toContain(code);
    if (warns.length === 0) expect(uncertainties).toEqual([]);
  });
});

/** Returns the tax of the state on the line. */
const getStateTax = ({ line_items }: Outcome): string => {
  const rows = line_items[0]?.taxes.filter((row) => row.jurisdiction_type === 'state') ?? [];
  return (rows.reduce((sum, row) => sum + Math.round(Number(row.tax_amount) * 100), 0) / 100).toFixed(2);
};

describe.each([...Map.groupBy(productTaxes, ({ topic }) => topic)])('%s', (_, rows) => {
  it.each(rows)('charges $tax on $quantity of $code for $price in $state $city on $day', (row) => {
    const { state, zip, city, code, price, quantity, day, local, shipping, tax, state_tax } = row;
    const to = local ? town(state) : { state, ...(zip !== '' && { postal_code: zip, city }) };
    const line_items = price.split(' ').map((unit_price) => ({ product_tax_code: code, unit_price, quantity }));
    const [amount, product_tax_code = null] = shipping.split(' ');
    const [percent, type = 'county'] = local.split(' ');
    const outcome = ask(
      { to, tax_date: day, line_items, ...(amount && { shipping: { amount, product_tax_code } }) },
      local ? withLocals(state, [`US-${state}-LOCAL`, type as JurisdictionType, String(Number(percent) / 100)]) : {},
    );
    expectWarnings(outcome, row);
    if (tax !== '') expect(outcome.tax_amount).toBe(tax);
    if (state_tax !== '') expect(getStateTax(outcome)).toBe(state_tax);
  });
});

it('never uses the state rate for a rule on local taxes', () => {
  const withRate = builtInReleases().flatMap(({ rules }) =>
    rules.filter(
      ({ id, levels, effect }) => /taxability-/.test(id) && levels && !levels.includes('state') && 'rate' in effect,
    ),
  );
  expect(withRate).toEqual([]);
});

describe('definitions of food', () => {
  /**
   * States with the Streamlined definitions count sweets with flour, sweets that need refrigeration, and drinks with
   * milk or mostly juice as food. Each tax of these states applies to such products as to groceries.
   */

  /**
   * Returns the state's tax, and its local taxes in every county that a rule names. One tax represents all local taxes
   * of its type and kind that no rule names by code, because rules treat them alike.
   */
  const taxesIn = ({ state: code, jurisdictions: [state], local, rules }: Release): Taxing[] => {
    const counties = [null, ...new Set(rules.flatMap((rule) => rule.counties ?? []))];
    const named = new Set(rules.flatMap((rule) => rule.jurisdictions ?? []));
    const { taxes = '' } = local ? packRates(code.slice('US-'.length)) : {};
    const all = taxes === '' ? [] : listOffsets(taxes.split('\n')).map((offset) => readTax(taxes, offset));
    const distinct = new Map(all.map((tax) => [named.has(tax.code) ? tax.code : `${tax.type} ${tax.kind}`, tax]));
    const ofPlaces = [...distinct.values()].map(({ kind, rate: _, ...tax }) => ({ ...tax, ...(kind ? { kind } : {}) }));
    return [
      state,
      ...ofPlaces.flatMap((tax) => counties.map((county) => ({ ...tax, tax_type: 'sales' as const, county }))),
    ];
  };

  const candy = ['FOOD.CANDY._CONTAINS_FLOUR', 'FOOD.CANDY._REFRIGERATED'];
  const drinks = [
    'BEVERAGES.SOFT_DRINKS._CONTAINS_MILK',
    'BEVERAGES.SOFT_DRINKS._JUICE_51_TO_69',
    'BEVERAGES.SOFT_DRINKS._JUICE_70_PLUS',
  ];

  it.each([
    ...'AR CO IL IN IA KY MN NJ NC ND RI WI'.split(' ').map((state) => [state, [...candy, ...drinks]] as const),
    ['TN', candy] as const,
    ...'OH VT WA WV'.split(' ').map((state) => [state, drinks] as const),
  ])('taxes $1 like groceries in $0', (state, foods) => {
    const release = builtInRelease(state) as Release;
    const taxes = taxesIn(release);
    const days = ['2026-03-01', '2026-09-15', '2026-11-20', '2027-01-15'];
    for (const day of days)
      for (const tax of taxes) {
        const effectOn = (code: string) => chooseRule(release, tax, getProduct(code), day)?.effect;
        for (const food of foods)
          expect(effectOn(food), `${tax.code} ${tax.county ?? ''} ${food} ${day}`).toEqual(effectOn('FOOD.GROCERY'));
      }
  });
});
