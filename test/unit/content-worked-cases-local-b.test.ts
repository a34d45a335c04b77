/**
 * Worked cases of local taxes (MT to WY): what the law takes from an order at a place, computed by hand and apart from
 * the code. Each says why. The rates are those of the tables that ship with the service.
 */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor } from '../../shared/content/built-in.ts';
import cases from '../fixtures/worked-cases-local-b.json' with { type: 'json' };
import { warningCodes } from '../support/builders.ts';
import { foundOf, requestOf, type WorkedCase } from '../support/worked-case.ts';

type LocalCase = WorkedCase & {
  readonly topic: string;
  readonly city: string;
  readonly because: string;
  readonly expected: { readonly warns?: readonly string[] };
};

/** As a client would send it; a charge for handling says what it is. */
const sent = (one: LocalCase) => {
  const request = requestOf(one);
  const charge = one.lines?.find(({ ptc }) => ptc.startsWith('SHIPPING'));
  return {
    ...request,
    customer: { address: { ...request.customer.address, city: one.city } },
    ...(request.shipping && charge ? { shipping: { ...request.shipping, product_tax_code: charge.ptc } } : {}),
  };
};

const solve = (one: LocalCase) => {
  const request = sent(one);
  const around = {
    settings: defaultSettings('2026-10-08'),
    releaseFor: builtInReleaseFor,
    now: Date.parse(`${request.tax_date}T12:00:00Z`),
  };
  const result = calculate(request, around, []);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

describe.each(Object.entries(Object.groupBy(cases as readonly LocalCase[], ({ topic }) => topic)))('%s', (_, group) => {
  it.each(group ?? [])('$id: $because', (one) => {
    const outcome = solve(one);
    const { tax, rows = [], warns = [] } = one.expected;
    expect(outcome.tax_amount).toBe(tax);
    for (const row of rows)
      expect(foundOf(outcome, row, one), `${row.level} ${row.percent}`).toEqual({ base: row.base, tax: row.tax });
    for (const code of warns) expect(warningCodes(outcome)).toContain(code);
    if (!warns.includes('taxability_not_established'))
      expect(warningCodes(outcome)).not.toContain('taxability_not_established');
  });
});
