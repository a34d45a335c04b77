/** Worked cases of the tables of taxability: the state's tax on one line at one address. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';

type Case = {
  readonly id: string;
  readonly state: string;
  readonly zip: string;
  readonly city: string;
  readonly code: string;
  readonly attributes: readonly string[];
  readonly amount: string;
  readonly quantity?: string;
  readonly expected_state_tax: string;
  readonly date: string;
};
const path = new URL('../fixtures/taxability-cases.json', import.meta.url);
const cases: readonly Case[] = JSON.parse(readFileSync(path, 'utf8'));

const answer = ({ state, zip, city, code, attributes, amount, date }: Case) =>
  ask({
    to: { city, state, postal_code: zip },
    tax_date: date,
    line_items: [{ product_tax_code: [code, ...attributes].join('.'), unit_price: amount }],
  });

/** Cases that need proof which a request does not have, that a course requires the book: the answer says what it assumes. */
const assumed = ['health-health-22'];

describe('a worked case', () => {
  it.each(cases)('$id: $state, $code $attributes of $amount on $date has $expected_state_tax', (one) => {
    const outcome = answer(one);
    const state = outcome.line_items[0]?.taxes.filter((row) => row.jurisdiction_type === 'state') ?? [];
    const tax = state.reduce((sum, row) => sum + Math.round(Number(row.tax_amount) * 100), 0);
    if (assumed.includes(one.id)) expect(warningCodes(outcome)).toContain('taxability_assumed');
    else expect((tax / 100).toFixed(2)).toBe(one.expected_state_tax);
  });
});

it('a sofa of 800.00 with a trade-in of 50.00, sent as a discount, owes 45.00 in West Virginia (110 CSR 15-90.2)', () => {
  const line_items = [{ product_tax_code: 'HOME.FURNITURE', unit_price: '800.00', discount_amount: '50.00' }];
  const outcome = ask({ to: { state: 'WV' }, tax_date: '2026-03-02', line_items });
  const [state] = outcome.line_items[0]?.taxes ?? [];
  expect(state?.tax_amount).toBe('45.00');
});
