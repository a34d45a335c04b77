import { assert } from '../base/assert.ts';
import { csvText } from '../base/csv.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import { findFormName } from '../catalog/form-names.ts';
import type { FilingTotal, FilingWithTotals, Worksheet } from '../filings/response.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type FormFigure, type FormLayout, formLayout, isSelfCollecting, type TotalFilter } from './forms.ts';

// Worksheets are in US dollars.
const read = (text: string): bigint => parseAmount(text, 2);
const money = (amount: bigint): string => formatAmount(amount, 2);
const getSum = <Row>(rows: readonly Row[], amount: (row: Row) => bigint): bigint =>
  rows.reduce((sum, row) => sum + amount(row), 0n);

/** Rounds to the form's unit; halves away from zero. */
const roundTo = (amount: bigint, unit: FormLayout['unit']): bigint => {
  const cents = unit === 'dollar' ? 100n : 1n;
  const rounded = divideHalfUp(amount < 0n ? -amount : amount, cents) * cents;
  return amount < 0n ? -rounded : rounded;
};

const getTax = ({ calculated_tax_amount }: Pick<FilingTotal, 'calculated_tax_amount'>): bigint =>
  read(calculated_tax_amount);

type FilingSum = FilingWithTotals['summary'][number];

type Base = Pick<FilingTotal, 'gross_amount' | 'taxable_amount' | 'tax_amount' | 'exempt_by_reason'>;

/** Returns the sales whose tax a marketplace collects. */
const sumMarketplace = (bases: readonly Base[]): bigint =>
  getSum(bases, ({ exempt_by_reason: { marketplace } }) => read(marketplace));

/** Returns the amounts of some jurisdictions in US dollars. `bases` contain each sale once. */
const getFigures = (totals: readonly FilingTotal[], stateCode: string, bases: readonly Base[]) => {
  const [gross, taxable, collected] = (['gross_amount', 'taxable_amount', 'tax_amount'] as const).map((name) =>
    getSum(bases, (base) => read(base[name])),
  ) as [bigint, bigint, bigint];
  const state = totals.filter(({ jurisdiction_code }) => jurisdiction_code === stateCode);
  const local = totals.filter(({ jurisdiction_code }) => jurisdiction_code !== stateCode);
  const over = (rows: readonly FilingTotal[]) => getSum(rows, (row) => read(row.over_collected_amount));
  const [stateTax, localTax] = [getSum(state, getTax), getSum(local, getTax)];
  const due = stateTax + localTax + over(totals);
  const foodAndDrugs = getSum(totals, ({ tax_due }) => read(tax_due.food_and_drugs));
  const marketplace = sumMarketplace(bases);
  return {
    gross,
    taxable,
    deductions: gross - taxable,
    own_gross: gross - marketplace,
    own_deductions: gross - taxable - marketplace,
    own_gross_with_tax: gross - marketplace + collected,
    own_deductions_with_tax: gross - taxable - marketplace + collected,
    tax: stateTax + localTax,
    state_tax: stateTax,
    local_tax: localTax,
    over_collected: over(totals),
    state_due: stateTax + over(state),
    local_due: localTax + over(local),
    general_due: due - foodAndDrugs,
    food_drug_due: foodAndDrugs,
    tax_due: due,
  } satisfies Record<FormFigure, bigint>;
};

const counts = ({ types, codes, except, self_collecting }: TotalFilter, total: FilingTotal): boolean =>
  (types?.includes(total.jurisdiction_type) ?? true) &&
  (codes?.includes(total.jurisdiction_code) ?? true) &&
  !except?.includes(total.jurisdiction_code) &&
  (self_collecting === undefined || self_collecting === isSelfCollecting(total.jurisdiction_code));

/**
 * Returns a function that returns the amounts of the totals that a line includes. `whole` contains all sales of the
 * state.
 */
const figuresBy = (totals: readonly FilingTotal[], state: string, whole: Base | undefined) => (only?: TotalFilter) => {
  if (!only) return getFigures(totals, state, whole ? [whole] : []);
  const rows = totals.filter((total) => counts(only, total));
  const { rate } = only;
  const bases = rate === undefined ? rows : rows.flatMap(({ rates }) => rates.filter((row) => row.rate === rate));
  return getFigures(rows, state, bases);
};

const getAmount = (
  line: FormLayout['lines'][number],
  figuresIn: (only?: TotalFilter) => Record<FormFigure, bigint>,
  unit: FormLayout['unit'],
  above: ReadonlyMap<string, bigint | null>,
) => {
  if ('blank' in line) return null;
  if ('figure' in line) return roundTo(figuresIn(line.only)[line.figure], line.unit ?? unit);
  const amountAt = (name: string): bigint => {
    const value = above.get(name);
    assert(value !== undefined, `Line ${line.line} refers to line ${name}, which is not above it.`);
    return value ?? 0n;
  };
  return getSum(line.add, amountAt) - getSum(line.subtract ?? [], amountAt);
};

const frequencyNote = (layout: FormLayout, { frequency }: FilingWithTotals): string | false =>
  layout.frequency !== undefined &&
  layout.frequency !== frequency &&
  `This is the form of a ${layout.frequency}. The state has another form for a ${frequency.replace('_', ' ')}: its lines can differ.`;

const marketplaceNote = ({ lines, marketplace }: FormLayout, whole: FilingSum | undefined): string | false => {
  const advice = marketplace ?? 'If the instructions of the form exclude them, subtract them from both';
  const amount = sumMarketplace(whole ? [whole] : []);
  const isExcluded = lines.some((line) => 'figure' in line && line.figure.startsWith('own_gross'));
  const place = isExcluded
    ? 'are not on this form, because the state excludes them from the return of the seller'
    : `are in gross sales and in deductions. ${advice}`;
  return amount !== 0n && `Sales of ${money(amount)} USD whose tax a marketplace collects ${place}.`;
};

const creditNote = ({ credits }: FormLayout, whole: FilingSum | undefined): string | false => {
  const amount = read(whole?.credit_amount ?? '0.00');
  const advice = credits ?? 'If the form reports refunds on separate lines, add the credits back and enter them there.';
  return (
    amount !== 0n &&
    `Credits of ${money(-amount)} USD are subtracted on the lines. The entries of the filing list them. ${advice}`
  );
};

/** Returns the totals in US dollars. */
const dollarTotals = ({ totals }: FilingWithTotals): readonly FilingTotal[] =>
  totals.filter(({ currency }) => currency === 'USD');

/** Returns the notes about amounts that a reader must check or add. `local` are the totals other than the state's. */
const listNotes = (filing: FilingWithTotals, layout: FormLayout, local: readonly FilingTotal[], due: bigint) => {
  const whole = filing.summary.find(({ currency }) => currency === 'USD');
  const others = filing.summary.filter(({ currency }) => currency !== 'USD');
  const notCovered = read(whole?.not_covered_amount ?? '0.00');
  const notRegistered = read(whole?.exempt_by_reason.not_registered ?? '0.00');
  const fees = getSum(dollarTotals(filing), ({ tax_due }) => read(tax_due.fees));
  const uncoded = local.filter(({ reporting_code }) => reporting_code === null);
  const notes = [
    filing.status === 'dry_run' && 'The period is not closed: the amounts can change.',
    frequencyNote(layout, filing),
    layout.confidence === 'low' &&
      `The lines were not compared with the current form. Compare each line before you file. Source: ${layout.source}.`,
    ...layout.notes,
    marketplaceNote(layout, whole),
    creditNote(layout, whole),
    notRegistered !== 0n &&
      `Sales of ${money(notRegistered)} USD on days without a registration are in gross sales and in deductions. If the return does not cover these days, subtract them from both.`,
    due < 0n &&
      'Credits exceed sales. Unless the form accepts a negative amount, ask the state how to claim the credit.',
    filing.status === 'closing' && 'The filing is closing: the amounts are partial.',
    notCovered !== 0n &&
      `Sales of ${money(notCovered)} USD have no known tax. They count as not taxable here: check them first.`,
    fees !== 0n && `Fees of ${money(fees)} USD are not on this form.`,
    ...others.map(
      ({ currency, gross_amount, tax_amount }) =>
        `Sales of ${gross_amount} ${currency} with tax of ${tax_amount} ${currency} are not on this form. Convert and add them.`,
    ),
    ...uncoded.map(
      ({ jurisdiction_name, jurisdiction_code }) =>
        `${jurisdiction_name} (${jurisdiction_code}) has no reporting code. Look it up in the state's list.`,
    ),
  ];
  return notes.filter((note) => note !== false);
};

/**
 * Converts a filing, with all pages of its totals, to the lines of a form. Figures are exact until the form's rounding,
 * and `rounding_amount` is the tax that the rounding adds. Amounts in other currencies, fees, and sales without a known
 * tax are notes.
 */
export const buildWorksheet = (filing: FilingWithTotals, layout: FormLayout): Worksheet => {
  // A fee is a separate jurisdiction, and is on a different return.
  const totals = dollarTotals(filing).filter(({ tax_due }) => read(tax_due.fees) === 0n);
  const whole = filing.summary.find(({ currency }) => currency === 'USD');
  const local = totals.filter(({ jurisdiction_code }) => jurisdiction_code !== filing.state);
  const figuresIn = figuresBy(totals, filing.state, whole);
  const amounts = new Map<string, bigint | null>();
  for (const line of layout.lines) amounts.set(line.line, getAmount(line, figuresIn, layout.unit, amounts));
  const due = figuresIn().tax_due;
  const { form, title, edition, source, confidence, schedule } = layout;
  return {
    form,
    title,
    edition,
    source,
    confidence,
    currency: 'USD',
    lines: layout.lines.map((line) => {
      const amount = amounts.get(line.line) ?? null;
      const note = 'blank' in line ? line.blank : null;
      return { line: line.line, label: line.label, amount: amount === null ? null : money(amount), note };
    }),
    schedule,
    rows: local.map((total) => ({
      reporting_code: total.reporting_code,
      jurisdiction_code: total.jurisdiction_code,
      jurisdiction_name: total.jurisdiction_name,
      jurisdiction_type: total.jurisdiction_type,
      taxable_amount: total.taxable_amount,
      tax_amount: money(getTax(total)),
    })),
    tax_due_amount: money(due),
    rounding_amount: money((amounts.get(layout.total) ?? 0n) - due),
    notes: listNotes(filing, layout, local, due),
  };
};

/** Formats a worksheet as CSV: its lines, then the schedule, then the rounding and the notes. */
export const worksheetCsv = ({ form, edition, lines, schedule, rows, ...sheet }: Worksheet): string => {
  const columns = ['form', 'edition', 'part', 'line', 'label', 'taxable_amount', 'amount', 'note'] as const;
  const blank = { form, edition, line: null, taxable_amount: null, amount: null, note: null };
  return csvText(columns, [
    ...lines.map((line) => ({ ...blank, ...line, part: 'form' })),
    ...rows.map((row) => ({
      ...blank,
      ...row,
      part: schedule,
      line: row.reporting_code,
      label: row.jurisdiction_name,
      amount: row.tax_amount,
    })),
    { ...blank, part: 'check', label: 'Tax due of the filing', amount: sheet.tax_due_amount },
    { ...blank, part: 'check', label: 'Rounding of the form', amount: sheet.rounding_amount },
    ...sheet.notes.map((note) => ({ ...blank, part: 'note', label: 'Note', note })),
  ]);
};

/** The worksheet of a sample filing as CSV, as if California were its state, for the documentation. */
export const exampleWorksheet = (filing: FilingWithTotals): string => {
  const inCalifornia = (code: string) => code.replace(filing.state, 'US-CA');
  const totals = filing.totals.map((total) => ({
    ...total,
    jurisdiction_code: inCalifornia(total.jurisdiction_code),
  }));
  return worksheetCsv(buildWorksheet({ ...filing, state: 'US-CA', totals }, formLayout('CA-CDTFA-401')));
};

const unknownForm = (state: string, form: string, source: NonNullable<Problem['source']>): Problem => {
  const known = findFormName(state);
  const advice = known ? `Send ${known}.` : 'Leave form out: Levy has no form of this state.';
  return {
    code: 'validation_invalid_format',
    title: 'Unknown form',
    detail: `Levy has no form ${form} of ${state}. ${advice}`,
    source,
  };
};

const canceled = (source: NonNullable<Problem['source']>): Problem => ({
  code: 'conflict_return_incomplete',
  title: 'Filing canceled',
  detail: 'The filing is canceled, and its transactions are open again. Close the period again.',
  source,
});

/**
 * Adds the lines of a form to a filing with all its totals. Refused with `validation_invalid_format` at `source` for a
 * form that is not the state's, and `conflict_return_incomplete` for a canceled filing.
 */
export const withWorksheet = (
  filing: FilingWithTotals,
  form: string,
  source: NonNullable<Problem['source']>,
): Result<FilingWithTotals> => {
  if (filing.status === 'canceled') return refuse(canceled(source));
  const known = findFormName(filing.state);
  if (known !== form) return refuse(unknownForm(filing.state, form, source));
  return accept({ ...filing, worksheet: buildWorksheet(filing, formLayout(known)) });
};
