/**
 * The layouts of sales tax forms: their lines, and what fills each of them. A line that a filing has no figure for is
 * blank, with the reason.
 */

/** A figure of a filing. Taxes exclude fees; `state_tax` and `local_tax` are the calculated tax. */
export type FormFigure = 'gross' | 'deductions' | 'taxable' | 'state_tax' | 'local_tax' | 'over_collected' | 'tax_due';

export type FormLine = { readonly line: string; readonly label: string } & (
  | { readonly figure: FormFigure }
  /** The arithmetic of the form over its own lines; a blank line counts as zero. */
  | { readonly add: readonly string[]; readonly subtract?: readonly string[] }
  | { readonly blank: string }
);

export type FormLayout = {
  readonly form: string;
  readonly state: string;
  readonly title: string;
  readonly edition: string;
  readonly source: string;
  readonly confidence: 'high' | 'medium' | 'low';
  /** The unit of the form's amounts in cents. Halves round away from zero. */
  readonly unit: 1n | 100n;
  readonly lines: readonly FormLine[];
  /** The line with all tax on sales, before credits and payments. It is compared with the filing. */
  readonly total: string;
  /** The schedule of local jurisdictions. */
  readonly schedule: string;
};

const purchases = 'Levy does not know your own purchases.';
const payments = 'Levy does not know payments, credits, penalties or interest.';
const rentals = 'Levy does not separate sales of this kind. Move their amounts from line A.';

export const formLayouts: readonly FormLayout[] = [
  {
    form: 'CA-CDTFA-401',
    state: 'US-CA',
    title: 'CDTFA-401-A, State, Local, and District Sales and Use Tax Return',
    edition: 'Rev. 116 (11-19)',
    source: 'California Department of Tax and Fee Administration, CDTFA-401-A, lines 1 to 19',
    confidence: 'medium',
    unit: 100n,
    lines: [
      { line: '1', label: 'Total sales', figure: 'gross' },
      { line: '2', label: 'Purchases subject to use tax', blank: purchases },
      { line: '3', label: 'Total', add: ['1', '2'] },
      { line: '11', label: 'Total nontaxable transactions', figure: 'deductions' },
      { line: '12', label: 'Transactions subject to tax', add: ['3'], subtract: ['11'] },
      // The rate of the state in the content is the sum of the three.
      {
        line: '13-15',
        label: 'State, county and local tax: line 12 at 6, 0.25 and 1 percent',
        figure: 'state_tax',
      },
      { line: '16', label: 'District tax (CDTFA-531-A2)', figure: 'local_tax' },
      { line: '17', label: 'Total state, county, local, and district tax', add: ['13-15', '16'] },
      { line: '18', label: 'Excess tax collected', figure: 'over_collected' },
      { line: '19', label: 'Total tax amount', add: ['17', '18'] },
      { line: '20 and after', label: 'Credits, prepayments, penalty and interest', blank: payments },
    ],
    total: '19',
    schedule: 'CDTFA-531-A2, Schedule A2 (district taxes)',
  },
  {
    form: 'FL-DR-15',
    state: 'US-FL',
    title: 'DR-15, Sales and Use Tax Return',
    edition: 'R. 01/20',
    source: 'Florida Department of Revenue, DR-15; line 15(d) as in the instructions DR-15N',
    confidence: 'medium',
    unit: 1n,
    lines: [
      { line: 'A.1', label: 'Sales/Services/Electricity: gross sales', figure: 'gross' },
      { line: 'A.2', label: 'Exempt sales', figure: 'deductions' },
      { line: 'A.3', label: 'Taxable amount', add: ['A.1'], subtract: ['A.2'] },
      { line: 'A.4', label: 'Tax due, with surtax', figure: 'tax_due' },
      { line: 'B', label: 'Taxable purchases', blank: purchases },
      { line: 'C', label: 'Commercial rentals', blank: rentals },
      { line: 'D', label: 'Transient rentals', blank: rentals },
      { line: 'E', label: 'Food & beverage vending', blank: rentals },
      { line: '5', label: 'Total amount of tax due', add: ['A.4', 'B', 'C', 'D', 'E'] },
      { line: '6', label: 'Less lawful deductions', blank: payments },
      { line: '7', label: 'Net tax due', add: ['5'], subtract: ['6'] },
      { line: '8 to 14', label: 'Estimated tax, collection allowance, penalty and interest', blank: payments },
      { line: '15(d)', label: 'Total amount of discretionary sales surtax due', figure: 'local_tax' },
    ],
    total: '5',
    schedule: 'Discretionary sales surtax by county, for lines 15(a) to 15(d)',
  },
];
