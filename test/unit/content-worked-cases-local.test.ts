/**
 * Worked cases of local taxes: the tax on an order at a place, computed by hand from the law's figures and
 * independently of the code. Each case has its reason. The rates are from the built-in tables.
 */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate, type Outcome } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import cases from '../fixtures/worked-cases-local.json' with { type: 'json' };
import { onlyShipping } from '../support/shipping.ts';
import { foundOf, requestOf, type WorkedCase } from '../support/worked-case.ts';

type LocalCase = WorkedCase & {
  readonly topic: string;
  readonly city: string;
  /**
   * The address is within the city limits, where most residents of the ZIP are not: the policy for the highest rate
   * says so.
   */
  readonly in_city?: boolean;
  readonly because: string;
  /** `warns`: the codes of warnings about rules. Without it, the answer has none. */
  readonly expected: { readonly shipping_tax?: string; readonly warns?: readonly string[] };
};

/** The request of a client, with the product tax code of the shipping. */
const sent = (one: LocalCase) => {
  const request = requestOf(one);
  const charge = one.lines?.find(({ ptc }) => ptc.startsWith('SHIPPING'));
  return {
    ...request,
    customer: { address: { ...request.customer.address, city: one.city } },
    ...(request.shipping && charge ? { shipping: { ...request.shipping, product_tax_code: charge.ptc } } : {}),
  };
};

const solve = (one: LocalCase): Outcome => {
  const request = sent(one);
  const now = Date.parse(`${request.tax_date}T12:00:00Z`);
  const ambiguous_address = one.in_city ? ('highest_rate' as const) : ('warn' as const);
  const around = {
    settings: { ...defaultSettings('2026-10-08'), ambiguous_address },
    releaseFor: builtInReleaseFor,
    now,
  };
  const result = calculate(request, around, []);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

/** The codes of warnings about rules. Warnings about the rate of a place are others. */
const uncertaintiesAboutRules = ({ warnings }: Outcome): readonly string[] =>
  warnings
    .filter(({ code, message }) => code === 'taxability_not_established' || message.includes(', rule '))
    .map(({ code }) => code);

describe.each(Object.entries(Object.groupBy(cases as readonly LocalCase[], ({ topic }) => topic)))('%s', (_, group) => {
  it.each(group ?? [])('$id: $because', (one) => {
    const outcome = solve(one);
    const { tax, shipping_tax, rows = [], warns = [] } = one.expected;
    expect(outcome.tax_amount).toBe(tax);
    if (shipping_tax !== undefined) expect(onlyShipping(outcome.shipping)?.tax_amount).toBe(shipping_tax);
    for (const row of rows)
      expect(foundOf(outcome, row, one), `${row.level} ${row.percent}`).toEqual({ base: row.base, tax: row.tax });
    const uncertainties = uncertaintiesAboutRules(outcome);
    for (const code of warns) expect(uncertainties).toContain(code);
    if (warns.length === 0) expect(uncertainties).toEqual([]);
  });
});
