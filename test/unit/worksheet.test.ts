import { expect, it } from 'vitest';
import { filings } from '../../shared/api/openapi/samples.ts';
import type { Filing } from '../../shared/filings/response.ts';
import { formLayouts } from '../../shared/returns/forms.ts';
import { worksheetOf } from '../../shared/returns/worksheet.ts';

const layout = formLayouts.find(({ form }) => form === 'CA-CDTFA-401');

const californian = (gross: string, stateTax: string, cityTax: string): Filing => {
  const [total] = filings.closed.totals ?? [];
  const [summary] = filings.closed.summary;
  if (!total || !summary) throw new Error('The sample has no totals.');
  const due = { ...total.tax_due, fees: '0.00' };
  const amounts = { gross_amount: gross, taxable_amount: gross };
  const state = { ...total, ...amounts, jurisdiction_code: 'US-CA', calculated_tax_amount: stateTax, tax_due: due };
  const city = { ...state, jurisdiction_code: 'US-CA-44000', jurisdiction_name: 'Los Angeles' };
  return {
    ...{ ...filings.closed, state: 'US-CA' },
    totals: [state, { ...city, jurisdiction_type: 'city', reporting_code: null, calculated_tax_amount: cityTax }],
    summary: [
      { ...summary, ...amounts, not_covered_amount: '7.00' },
      { ...summary, currency: 'CAD', gross_amount: '12.34' },
    ],
  };
};

// By hand: each amount to whole dollars, halves away from zero; line 19 less the exact tax is the rounding.
it.each([
  ['100.49', '7.29', '2.51', { 1: '100.00', '13-15': '7.00', 16: '3.00', 19: '10.00' }, '9.80', '0.20'],
  ['100.50', '7.50', '0.50', { 1: '101.00', '13-15': '8.00', 16: '1.00', 19: '9.00' }, '8.00', '1.00'],
  ['-100.50', '-7.50', '-0.49', { 1: '-101.00', '13-15': '-8.00', 16: '0.00', 19: '-8.00' }, '-7.99', '-0.01'],
])('rounds sales of %s to whole dollars', (gross, stateTax, cityTax, expected, due, rounding) => {
  if (!layout) throw new Error('California has no layout.');
  const sheet = worksheetOf(californian(gross, stateTax, cityTax), layout);
  expect(Object.fromEntries(sheet.lines.map(({ line, amount }) => [line, amount]))).toMatchObject(expected);
  expect([sheet.tax_due_amount, sheet.rounding_amount]).toEqual([due, rounding]);
  for (const named of ['7.00 USD', '12.34 CAD', 'Los Angeles (US-CA-44000)'])
    expect(sheet.notes.filter((note) => note.includes(named))).toHaveLength(1);
});
