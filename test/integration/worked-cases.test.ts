/**
 * Worked examples of revenue departments, statutes and vendors: with the built-in content if it has their rates,
 * otherwise with the rates in the example. The fixture quotes each example from its source;
 * `test/support/worked-case.ts` converts it to a request. Two are left out: the District of Columbia's 7 % from October
 * 2026, which is not confirmed, and Illinois' holiday of 2010, whose source divides the delivery charge in whole percents
 * (61 and 39) while this service divides it in cents. Finland's VAT has no content, so only the warning is tested.
 * Minneapolis and Saint Paul have today's districts.
 */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import fixture from '../../shared/catalog/worked-cases.json' with { type: 'json' };
import { newClient } from '../support/api.ts';
import { ask } from '../support/builders.ts';
import { activate, importRelease } from '../support/content.ts';
import { buildHead, buildPart } from '../support/local-content.ts';
import { buildCreditRequest, later, listCharges, made } from '../support/sales.ts';
import { buildRequest, getContent, getFound, type WorkedCase } from '../support/worked-case.ts';

/** The id of a release of Michigan with a rate of 25 %. */
const quarter = 'US-MI@2030-01-01.1';

const cases = fixture as unknown as readonly WorkedCase[];
const calculated = (one: WorkedCase): Outcome => {
  const request = buildRequest(one);
  return ask(request, { releaseFor: getContent(one), today: '2026-11-22' });
};

// These sources cover only the state's tax; the built-in content adds the local taxes of the place.
const isOfStateAlone = ({ rates, expected: { rows = [], local_tax, sourced_to } }: WorkedCase): boolean =>
  !rates && !local_tax && !sourced_to && rows.length > 0 && rows.every(({ level }) => level === 'state');
const stateTax = (outcome: Outcome): string => {
  const rows = listCharges(outcome).flatMap(({ taxes }) => taxes);
  const cents = rows
    .filter(({ jurisdiction_type }) => jurisdiction_type === 'state')
    .reduce((sum, { tax_amount }) => sum + Math.round(Number(tax_amount) * 100), 0);
  return (cents / 100).toFixed(2);
};
const byId = (id: string): WorkedCase => cases.find((one) => one.id === id) as WorkedCase;

describe('worked cases', () => {
  const sales = cases.filter(({ input, country }) => input.lines && !country);
  it('contains 63 sales, two refunds and one sale abroad', () => {
    expect(cases.map(({ id }) => id)).toHaveLength(new Set(cases.map(({ id }) => id)).size);
    expect([sales.length, cases.filter(({ original }) => original).length, cases.length]).toEqual([63, 2, 66]);
  });

  it.each(sales.map((one) => ({ ...one, one })))('$id: $expected.tax_total ($citation)', ({ one, expected, state }) => {
    const response = calculated(one);
    const { tax_total, local_tax, customer_pays, grand_total, sourced_to, rows = [] } = expected;
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(Object.keys(response.content_releases)).toEqual([`US-${state}`]);
    if (tax_total !== undefined) expect(isOfStateAlone(one) ? stateTax(response) : response.tax_amount).toBe(tax_total);
    for (const row of rows) expect({ ...row, ...getFound(response, row, one) }).toEqual(row);
    const taxes = response.line_items.flatMap((line) => line.taxes);
    if (local_tax !== undefined)
      expect(taxes.filter((row) => row.jurisdiction_type !== 'state').map((row) => row.tax_amount)).toEqual([
        local_tax,
      ]);
    if (sourced_to !== undefined)
      expect(taxes.map((row) => [row.jurisdiction_code, row.sourcing])).toEqual([
        [`US-${state}`, 'destination'],
        [sourced_to, 'destination'],
      ]);
    const total = customer_pays ?? grand_total;
    if (total !== undefined) expect(response.total_amount).toBe(total);
  });

  it('returns taxes in ca-component-rounding that add up and differ from the source by at most a cent', () => {
    const one = byId('ca-component-rounding');
    const response = calculated(one);
    const taxes = response.line_items[0]?.taxes ?? [];
    const shown = taxes.map((row) => Math.round(Number(row.tax_amount) * 100));
    const displayed = Object.values(one.expected.by_jurisdiction_tax_displayed ?? {}).map((text) =>
      Math.round(Number(text) * 100),
    );
    expect(shown.reduce((sum: number, tax: number) => sum + tax, 0)).toBe(135);
    expect(displayed.reduce((sum, tax) => sum + tax, 0)).toBe(136);
    expect(displayed.map((tax, index) => Math.abs(tax - (shown[index] ?? 0))).toSorted()).toEqual([0, 0, 1]);
  });

  it('returns a warning for fi-vat-24, because no content covers Finland', () => {
    const response = calculated(byId('fi-vat-24'));
    expect(response.tax_amount).toBe('0.00');
    const reasons = listCharges(response).flatMap((charge) => charge.taxes);
    expect(reasons.map(({ taxability_reason }) => taxability_reason)).toEqual(['not_supported', 'not_supported']);
    expect(response.warnings.map(({ code }) => code)).toContain('not_covered');
  });

  it.each([
    { id: 'credit-stripe-proration', tax_included: false, total: '125.00' },
    { id: 'credit-stripe-proration-inclusive', tax_included: true, total: '100.00' },
  ])('returns the tax that was collected on a partial refund of $id', async ({ id, tax_included, total }) => {
    const one = byId(id);
    const { original = [], expected } = one;
    const lines = original.map(({ id: line, net, gross }) => ({
      id: line,
      product_tax_code: 'GENERAL',
      quantity: '1',
      unit_price: net ?? gross,
    }));
    const refunds = Object.entries(expected.by_line ?? {}).map(([line, { refund_total, tax }]) => ({
      id: line,
      quantity: '1',
      unit_price: tax_included ? refund_total : String(Number(refund_total) - Number(tax)),
    }));
    const client = await newClient();
    const body = { ...buildRequest(one), line_items: lines, tax_included, status: 'finalized' };
    await importRelease(buildHead(quarter, { rate: '0.25' }), [buildPart('48226', {})]);
    await activate('MI', quarter);
    const sale = await later(120_000, () => made(client.create(body)));
    expect(sale.total_amount).toBe(total);
    expect(sale.line_items.map(({ tax_amount }) => tax_amount)).toEqual(original.map(({ tax }) => tax));
    const credit = await made(client.create(buildCreditRequest(sale, { line_items: refunds })));
    expect(credit.tax_amount).toBe(expected.tax_total);
    expect(credit.line_items.map(({ tax_amount }) => tax_amount)).toEqual(
      Object.values(expected.by_line ?? {}).map(({ tax }) => tax),
    );
    expect(credit.total_amount).toBe(one.refund);
  });
});
