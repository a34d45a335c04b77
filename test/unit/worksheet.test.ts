import { expect, it } from 'vitest';
import { filings } from '../../shared/api/openapi/samples.ts';
import { formNames } from '../../shared/catalog/form-names.ts';
import type { FilingWithTotals } from '../../shared/filings/response.ts';
import { formLayout } from '../../shared/returns/forms.ts';
import { buildWorksheet } from '../../shared/returns/worksheet.ts';

const layout = formLayout('CA-CDTFA-401');

const californian = (gross: string, stateTax: string, cityTax: string): FilingWithTotals => {
  const [total] = filings.closed.totals;
  const [summary] = filings.closed.summary;
  if (!total || !summary) throw new Error('The sample has no totals.');
  const due = { ...total.tax_due, fees: '0.00' };
  const amounts = { gross_amount: gross, taxable_amount: gross };
  const state = { ...total, ...amounts, jurisdiction_code: 'US-CA', calculated_tax_amount: stateTax, tax_due: due };
  const city = { ...state, jurisdiction_code: 'US-CA-44000', jurisdiction_name: 'Los Angeles' };
  return {
    ...filings.closed,
    state: 'US-CA',
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
  const sheet = buildWorksheet(californian(gross, stateTax, cityTax), layout);
  expect(Object.fromEntries(sheet.lines.map(({ line, amount }) => [line, amount]))).toMatchObject(expected);
  expect([sheet.tax_due_amount, sheet.rounding_amount]).toEqual([due, rounding]);
  for (const named of ['7.00 USD', '12.34 CAD', 'Los Angeles (US-CA-44000)'])
    expect(sheet.notes.filter((note) => note.includes(named))).toHaveLength(1);
});

// By hand: over-collected tax of 1.00 for the state and of 0.50 for a city.
it.each([
  ['PA', '01-60000', { '3 (state)': '7.00', '3 (Philadelphia)': '2.50', '3 (Allegheny)': '0.00', 3: '9.50' }],
  ['CO', '01-20000', { '7 (state)': '6.00', '7 (city)': '0.00', 8: '1.00', 9: '7.00', 'Other returns': '2.50' }],
  ['CO', '01-25115', { '7 (city)': '2.00', 8: '1.50', 9: '9.50', 'Other returns': '0.00' }],
  ['AZ', '01-55000', { '7 (J)': '6.00', '14 (J)': '2.00', A1: '1.00', 'City excess tax': '0.50', Tax: '9.50' }],
  ['TX', '01-05000', { '7a': '7.00', '7b': '2.50', 8: '9.50' }],
  ['FL', '00-086', { 'A.4': '9.50', 5: '9.50', '15(d)': '2.50' }],
  ['MA', '01-07000', { 7: '9.50', 10: '9.50' }],
] as const)('reports over-collected tax on the lines of %s', (state, city, expected) => {
  const sample = californian('100.00', '6.00', '2.00');
  const codes = [`US-${state}`, `US-${state}-${city}`];
  const totals = sample.totals.map((total, at) => {
    return { ...total, jurisdiction_code: codes[at] ?? '', over_collected_amount: at === 0 ? '1.00' : '0.50' };
  });
  const sheet = buildWorksheet({ ...sample, state: `US-${state}`, totals }, formLayout(formNames[`US-${state}`]));
  expect(Object.fromEntries(sheet.lines.map(({ line, amount }) => [line, amount]))).toMatchObject(expected);
  expect([sheet.tax_due_amount, sheet.rounding_amount]).toEqual(['9.50', '0.00']);
});

// The state's row has a fee, which belongs on a separate return.
it('omits a fee and its over-collected tax', () => {
  const sample = californian('100.00', '6.00', '2.00');
  const [state, city] = sample.totals;
  if (!state || !city) throw new Error('The sample has two totals.');
  const amounts = { calculated_tax_amount: '0.28', over_collected_amount: '1.00' };
  const fee = { jurisdiction_type: 'district' as const, ...amounts, tax_due: { ...state.tax_due, fees: '0.28' } };
  const totals = [
    { ...state, jurisdiction_code: 'US-CO' },
    { ...city, jurisdiction_code: 'US-CO-01-25115' },
    { ...state, jurisdiction_code: 'US-CO-RDF', ...fee },
  ];
  const sheet = buildWorksheet({ ...sample, frequency: 'quarter', state: 'US-CO', totals }, formLayout('CO-DR-0100'));
  expect(sheet.lines.find(({ line }) => line === '9')?.amount).toBe('8.00');
  expect([sheet.tax_due_amount, sheet.rounding_amount]).toEqual(['8.00', '0.00']);
  expect(sheet.notes.filter((note) => note.includes('0.28'))).toHaveLength(1);
});

it('notes that the state has a different form for the frequency', () => {
  const quarterly = formLayout('NY-ST-100');
  const sample = { ...californian('100.00', '6.00', '2.00'), state: 'US-NY' };
  const frequencies = ['month', 'quarter'] as const;
  const notes = frequencies.map((frequency) => buildWorksheet({ ...sample, frequency }, quarterly).notes);
  expect(notes.map((of) => of.filter((note) => note.includes('form of a quarter')).length)).toEqual([1, 0]);
});

const writeSheet = (state: keyof typeof formNames, sample: FilingWithTotals) => {
  const totals = sample.totals.map((total, at) => (at === 0 ? { ...total, jurisdiction_code: state } : total));
  const sheet = buildWorksheet({ ...sample, state, totals }, formLayout(formNames[state]));
  return { ...sheet, amounts: Object.fromEntries(sheet.lines.map(({ line, amount }) => [line, amount])) };
};

// By hand: sales of 100.00, of which 30.00 are a marketplace's and 70.00 are taxed.
// Florida excludes sales of a marketplace from the seller's return (Fla. Stat. 212.05965(4)); Texas includes them.
// Illinois: "Do not include and then deduct any marketplace sales on Form ST-1" (FAQ for marketplace sellers). Its lines
// include the tax, 6.00.
it.each([
  ['US-FL', { 'A.1': '70.00', 'A.2': '0.00', 'A.3': '70.00' }, 'not on this form'],
  ['US-IL', { 1: '76.00', 2: '6.00', 3: '70.00' }, 'not on this form'],
  ['US-TX', { 1: '100.00', 2: '70.00' }, 'in gross sales and in deductions. Texas asks for this'],
  ['US-CA', { 1: '100.00', 11: '30.00' }, 'in gross sales and in deductions. California does not require'],
  ['US-MA', { 1: '100.00', 2: '30.00' }, 'in gross sales and in deductions. Massachusetts relieves the seller'],
  [
    'US-CO',
    { 1: '100.00' },
    'in gross sales and in deductions. Colorado asks the seller to file only its sales outside',
  ],
  ['US-VA', {}, 'in gross sales and in deductions. If the instructions of the form exclude'],
] as const)('reports sales of a marketplace in %s', (state, expected, text) => {
  const sample = californian('100.00', '6.00', '2.00');
  const figures = { taxable_amount: '70.00', exempt_amount: '30.00', tax_amount: '6.00' };
  const summary = sample.summary.map((sum) => {
    return { ...sum, ...figures, exempt_by_reason: { ...sum.exempt_by_reason, marketplace: '30.00' } };
  });
  const { amounts, notes } = writeSheet(state, { ...sample, summary });
  expect(amounts).toMatchObject(expected);
  const told = `30.00 USD whose tax a marketplace collects are ${text}`;
  expect(notes.filter((note) => note.includes(told))).toHaveLength(1);
  expect(writeSheet(state, sample).notes.filter((note) => note.includes('a marketplace collects'))).toEqual([]);
});

// Colorado and Florida deduct returned goods or their tax on separate lines; California claims refunds of earlier
// periods on schedule Q; Pennsylvania subtracts refunds from sales (61 Pa. Code 33.3). Massachusetts has no text.
it.each([
  ['US-CA', 'line 20b with schedule Q (CDTFA-531-Q)'],
  ['US-CO', 'Schedule A deducts returned goods'],
  ['US-FL', 'enter their tax on line 6'],
  ['US-PA', '61 Pa. Code 33.3'],
  ['US-MA', 'If the form reports refunds on separate lines'],
] as const)('states how the form of %s reports the credits', (state, text) => {
  const sample = californian('100.00', '6.00', '2.00');
  const creditsOf = (credit_amount: string) => {
    const summary = sample.summary.map((sum) => ({ ...sum, credit_amount }));
    return writeSheet(state, { ...sample, summary }).notes.filter((note) => note.startsWith('Credits of '));
  };
  expect(creditsOf('0.00')).toEqual([]);
  expect(creditsOf('-25.50')).toEqual([expect.stringContaining(text)]);
  expect(creditsOf('-25.50')[0]).toMatch(/^Credits of 25\.50 USD are subtracted on the lines\./);
});

// From 2025, a sale from outside Illinois is taxed at the destination (Illinois FY 2025-10), and is on lines 4 and 5.
// By hand: state tax of 62.50 on sales from inside, 125.00 from outside, and 1.00 on food and drugs.
it('reports sales from outside Illinois on the lines of the destination', () => {
  const sample = californian('3100.00', '188.50', '0.00');
  const due = { in_state: '62.50', out_of_state: '125.00', food_and_drugs: '1.00', fees: '0.00' };
  const totals = sample.totals.map((total, at) => (at === 0 ? { ...total, tax_due: due } : total));
  const { amounts, notes } = writeSheet('US-IL', { ...sample, totals });
  expect(amounts).toMatchObject({ '4b': '188.00', '5b': '1.00', '6 to 8': null, 9: '189.00' });
  expect(notes.filter((note) => note.startsWith('The lines were not compared with the current form.'))).toHaveLength(1);
});

// Sales that the instructions of the states put on other returns, schedules or rows. A filing does not separate them.
it.each([
  ['US-AZ', 'separate business codes'],
  ['US-CA', 'CDTFA-401-GS'],
  ['US-CO', 'Retail Marijuana Sales Tax Return'],
  ['US-FL', 'electricity are also on line 17'],
  ['US-IL', 'a return for each sale, the ST-556'],
  ['US-MA', 'ST-MAB-4'],
  ['US-NY', 'schedules B, N, T and FR'],
] as const)('notes which sales in %s belong on other returns', (state, text) => {
  const { notes } = writeSheet(state, californian('100.00', '6.00', '0.00'));
  expect(notes.filter((note) => note.includes(text))).toHaveLength(1);
});

it('notes sales of days without a registration', () => {
  const sample = californian('100.00', '6.00', '0.00');
  const write = (not_registered: string) =>
    writeSheet('US-TX', {
      ...sample,
      summary: sample.summary.map((sum) => ({ ...sum, exempt_by_reason: { ...sum.exempt_by_reason, not_registered } })),
    }).notes.filter((note) => note.includes('days without a registration'));
  expect(write('0.00')).toEqual([]);
  expect(write('40.00')).toEqual([expect.stringMatching(/^Sales of 40\.00 USD .* subtract them from both\.$/)]);
});
