import type { Frequency } from '../accounts/account.ts';
import type { FormName } from '../catalog/form-names.ts';
import type { FilingTotal } from '../filings/response.ts';
import { selfCollectingCities } from './colorado-cities.ts';

/**
 * The layouts of sales tax forms: their lines, and what fills each of them. A line that a filing has no figure for is
 * blank, with the reason.
 */

/**
 * A figure of a filing. `tax` and `…_tax` are calculated tax without fees; `…_due` adds the over-collected tax. The parts
 * of `tax_due` by origin are as in the filing: `food_drug_due` is the state's tax on food and drugs at its reduced rate.
 */
export type FormFigure =
  | 'gross'
  | 'deductions'
  | 'taxable'
  | 'gross_with_tax'
  | 'deductions_with_tax'
  | 'tax'
  | 'state_tax'
  | 'local_tax'
  | 'over_collected'
  | 'in_state_due'
  | 'out_of_state_due'
  | 'food_drug_due'
  | 'state_due'
  | 'local_due'
  | 'tax_due';

/** The totals of a filing that count for a line. Sales, such as `gross`, need totals of one level: each sale counts once. */
export type TotalFilter = {
  readonly types?: readonly FilingTotal['jurisdiction_type'][];
  readonly codes?: readonly string[];
  readonly except?: readonly string[];
  /** Only sales at this rate. It has no effect on tax. */
  readonly rate?: string;
};

export type FormLine = { readonly line: string; readonly label: string } & (
  | {
      readonly figure: FormFigure;
      readonly only?: TotalFilter;
      /** The unit of this line, if it is not that of the form. */
      readonly unit?: 1n | 100n;
    }
  /** The arithmetic of the form over its own lines; a blank line counts as zero. */
  | { readonly add: readonly string[]; readonly subtract?: readonly string[] }
  | { readonly blank: string }
);

export type FormLayout = {
  readonly form: FormName;
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
  /** The frequency of the form, if the state has other forms for others. */
  readonly frequency?: Frequency;
  /** What to check on this form. */
  readonly notes?: readonly string[];
};

const purchases = 'Levy does not know your own purchases.';
const payments = 'Levy does not know payments, credits, penalties or interest.';
const discount = 'Calculate it on the form: Levy does not subtract the discount for filing on time.';
const rentals = 'Levy does not separate sales of this kind. Move their amounts from line A.';

/** Arizona reports the tax of the state and of counties in one row. */
const notCities: TotalFilter['types'] = ['state', 'county', 'district'];
const virginia = {
  northern: 'US-VA-63-NORTHERN',
  hamptonRoads: 'US-VA-63-HAMPTON-ROADS',
  central: 'US-VA-63-CENTRAL',
  triangle: 'US-VA-63-HISTORIC-TRIANGLE',
};

export const formLayouts: readonly FormLayout[] = [
  {
    form: 'CA-CDTFA-401',
    title: 'CDTFA-401-A, State, Local, and District Sales and Use Tax Return',
    edition: 'Rev. 118 (5-21)',
    source: 'California Department of Tax and Fee Administration, CDTFA-401-A, lines 1 to 20, read in a copy',
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
      { line: '20a and after', label: 'Credits, prepayments, penalty and interest', blank: payments },
    ],
    total: '19',
    schedule: 'CDTFA-531-A2, Schedule A2 (district taxes)',
  },
  {
    form: 'FL-DR-15',
    title: 'DR-15, Sales and Use Tax Return',
    edition: 'Instructions R. 01/24',
    source: 'Florida Department of Revenue, instructions DR-15N with the form, lines A to 15(d), read in a copy',
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
      {
        line: '8 to 10',
        label: 'Less estimated tax paid and credit memos, plus estimated tax due, amount due',
        blank: payments,
      },
      { line: '11', label: 'Less collection allowance', blank: discount },
      { line: '12 to 14', label: 'Plus penalty and interest, amount due with return', blank: payments },
      {
        line: '15(a) to 15(c)',
        label: 'Amounts over $5,000, other amounts not subject to surtax, amounts at a different surtax rate',
        blank: 'They depend on the county of your business. See the schedule.',
      },
      { line: '15(d)', label: 'Total amount of discretionary sales surtax due', figure: 'local_tax' },
    ],
    total: '5',
    schedule: 'Discretionary sales surtax by county, for lines 15(a) to 15(d)',
    notes: ['Line 6 is not more than line 5, and line 8 is not more than line 7.'],
  },
  {
    form: 'TX-01-114',
    title: '01-114, Texas Sales and Use Tax Return',
    edition: 'Rev. 4-19/40',
    source: 'Texas Comptroller of Public Accounts, 01-114, items 1 to 15; instructions 01-922',
    confidence: 'medium',
    unit: 1n,
    lines: [
      { line: '1', label: 'Total Texas sales', figure: 'gross', unit: 100n },
      { line: '2', label: 'Taxable sales', figure: 'taxable', unit: 100n },
      { line: '3', label: 'Taxable purchases', blank: purchases },
      { line: '4', label: 'Amount subject to state tax', add: ['2', '3'] },
      { line: '5', label: 'Amount subject to local tax', blank: 'It differs by place: see the schedule.' },
      { line: '7a', label: 'State tax, with tax collected in excess', figure: 'state_due' },
      { line: '7b', label: 'Local tax, with tax collected in excess', figure: 'local_due' },
      { line: '8', label: 'Total tax due', add: ['7a', '7b'] },
      { line: '9', label: 'Prepayment credit', blank: payments },
      { line: '10', label: 'Adjusted tax due', add: ['8'], subtract: ['9'] },
      { line: '11', label: 'Timely filing discount (0.005)', blank: discount },
      { line: '12 to 15', label: 'Prior payments, penalty and interest, total amount due', blank: payments },
    ],
    total: '8',
    schedule: '01-116, list supplement (cities, counties, transit authorities and special purpose districts)',
  },
  {
    form: 'NY-ST-100',
    frequency: 'quarter',
    title: 'ST-100, New York State and Local Quarterly Sales and Use Tax Return',
    edition: '9/15',
    source: 'New York State Department of Taxation and Finance, ST-100, steps 1 to 8',
    confidence: 'low',
    unit: 1n,
    lines: [
      { line: '1', label: 'Gross sales and services', figure: 'gross', unit: 100n },
      { line: '1a', label: 'Nontaxable sales', figure: 'deductions', unit: 100n },
      { line: '12', label: 'Column C, taxable sales and services', figure: 'taxable', unit: 100n },
      { line: '13', label: 'Column D, purchases subject to tax', blank: purchases },
      { line: '14', label: 'Column F, sales and use tax', figure: 'tax_due' },
      {
        line: '15',
        label: 'Special taxes',
        blank: 'Levy does not calculate taxes on car rentals and information services.',
      },
      { line: '16', label: 'Tax credits, advance payments and overpayments', blank: payments },
      { line: '17', label: 'Taxes due', add: ['14', '15'], subtract: ['16'] },
      { line: '18', label: 'Vendor collection credit', blank: discount },
      { line: '19 to 21', label: 'Penalty and interest, amount due, amount paid', blank: payments },
    ],
    total: '14',
    schedule: 'Step 3, by taxing jurisdiction: column C is the taxable amount',
    notes: [
      'Column F of step 3 has one rate for the state and the locality together. The rows of the schedule have the local part only.',
      'Clothing and footwear below 110 dollars that only a locality taxes belong on schedule H (ST-100.7), not in step 3.',
    ],
  },
  {
    form: 'PA-3',
    title: 'PA-3, Sales, Use and Hotel Occupancy Tax Return',
    edition: 'Instructions of e-TIDES, after 2016-08-01',
    source:
      'Pennsylvania Department of Revenue, instructions for the PA-3, lines 1 to 4; sales tax file upload specifications',
    confidence: 'medium',
    unit: 1n,
    lines: [
      { line: '1 (state)', label: 'Total gross sales, rentals, services', figure: 'gross' },
      { line: '2 (state)', label: 'Net taxable sales, rentals, services', figure: 'taxable' },
      {
        line: '3 (state)',
        label: 'Total amount of tax due: calculated or collected, the greater',
        figure: 'state_due',
      },
      { line: '1 (Allegheny)', label: 'Gross sales, code 02', figure: 'gross', only: { codes: ['US-PA-00-003'] } },
      {
        line: '2 (Allegheny)',
        label: 'Net taxable sales, code 02',
        figure: 'taxable',
        only: { codes: ['US-PA-00-003'] },
      },
      {
        line: '3 (Allegheny)',
        label: 'Total amount of tax due, code 02',
        figure: 'tax_due',
        only: { codes: ['US-PA-00-003'] },
      },
      { line: '1 (Philadelphia)', label: 'Gross sales, code 51', figure: 'gross', only: { codes: ['US-PA-01-60000'] } },
      {
        line: '2 (Philadelphia)',
        label: 'Net taxable sales, code 51',
        figure: 'taxable',
        only: { codes: ['US-PA-01-60000'] },
      },
      {
        line: '3 (Philadelphia)',
        label: 'Total amount of tax due, code 51',
        figure: 'tax_due',
        only: { codes: ['US-PA-01-60000'] },
      },
      { line: '3', label: 'Tax due of all columns', add: ['3 (state)', '3 (Allegheny)', '3 (Philadelphia)'] },
      { line: '4', label: 'Discount', blank: discount },
      { line: 'after 4', label: 'Credits and use tax', blank: `${purchases} ${payments}` },
    ],
    total: '3',
    schedule: 'Local columns of the PA-3',
    notes: [
      'The form accepts no negative amounts on line 1. If credits exceed sales, ask the department for a refund or a credit.',
    ],
  },
  {
    form: 'IL-ST-1',
    title: 'ST-1, Sales and Use Tax and E911 Surcharge Return',
    edition: 'REV 09',
    source: 'Illinois Department of Revenue, ST-1, steps 2 to 6',
    confidence: 'low',
    unit: 100n,
    lines: [
      { line: '1', label: 'Total receipts, with tax', figure: 'gross_with_tax' },
      { line: '2', label: 'Deductions, with the tax collected (schedule A)', figure: 'deductions_with_tax' },
      { line: '3', label: 'Taxable receipts', add: ['1'], subtract: ['2'] },
      {
        line: '4a to 8a',
        label: 'Receipts by location and rate',
        blank:
          'A filing does not split receipts by the place that they are shipped from. See the schedule and the rates of the totals.',
      },
      { line: '4b', label: 'Tax, general merchandise, locations within Illinois', figure: 'in_state_due' },
      {
        line: '5b and 7b',
        label: 'Tax, food, drugs, and medical appliances at the reduced rate of the state',
        figure: 'food_drug_due',
      },
      { line: '6b', label: 'Tax, general merchandise, locations outside Illinois', figure: 'out_of_state_due' },
      { line: '9', label: 'Tax due on receipts', add: ['4b', '5b and 7b', '6b'] },
      { line: '10', label: "Retailer's discount", blank: discount },
      { line: '12a to 15', label: 'Tax on purchases', blank: purchases },
      { line: '16a and after', label: 'Credits, prepayments and amount due', blank: payments },
    ],
    total: '9',
    schedule: 'ST-2, multiple site form (by location)',
    notes: [
      'Tax on food and drugs of a locality is in lines 4b and 6b. Move it to lines 5b and 7b by the rates of your locations.',
    ],
  },
  {
    form: 'CO-DR-0100',
    title: 'DR 0100, Colorado Retail Sales Tax Return',
    edition: '11/10/22',
    source:
      'Colorado Department of Revenue, DR 0100, lines 1 to 18 (lines 6 to 11 also read in a copy of 09/27/21); cities: lists of the Colorado Municipal League of 2021 and 2025, and 20 cities without a list',
    confidence: 'medium',
    unit: 1n,
    lines: [
      { line: '1', label: 'Gross sales of goods and services', figure: 'gross' },
      { line: '2 and 4', label: 'Deductions and exemptions, state column (schedules A and B)', figure: 'deductions' },
      { line: '5', label: 'Net taxable sales, state column', add: ['1'], subtract: ['2 and 4'] },
      { line: '7 (state)', label: 'Amount of sales tax, state column', figure: 'state_tax' },
      {
        line: '7 (district)',
        label: 'Amount of sales tax, columns of districts',
        figure: 'tax',
        only: { types: ['district'] },
      },
      {
        line: '7 (county)',
        label: 'Amount of sales tax, column of the county',
        figure: 'tax',
        only: { types: ['county'] },
      },
      {
        line: '7 (city)',
        label: 'Amount of sales tax, column of the city',
        figure: 'tax',
        only: { types: ['city'], except: selfCollectingCities },
      },
      { line: '8', label: 'Excess tax collected', figure: 'over_collected', only: { except: selfCollectingCities } },
      { line: '9', label: 'Total of lines 7 and 8', add: ['7 (state)', '7 (district)', '7 (county)', '7 (city)', '8'] },
      { line: '11', label: 'Service fee', blank: discount },
      { line: '13 to 18', label: 'Penalty, interest and payments', blank: payments },
      {
        line: 'Other returns',
        label: 'Tax of cities that collect their own tax, not on this form',
        figure: 'tax_due',
        only: { codes: selfCollectingCities },
      },
      { line: 'All returns', label: 'Line 9 and the other returns', add: ['9', 'Other returns'] },
    ],
    total: 'All returns',
    schedule: 'Columns of the DR 0100, by jurisdiction; one return for each site',
    notes: [
      'Cities with home rule that collect their own tax, such as Denver, are not on this form: their tax is on the line of other returns. File it with the city or by the Sales and Use Tax System. The list of these cities is of medium confidence: compare it with the DR 1002.',
      'Lines 2 to 5 are of the state. The local columns have their own exemptions: the schedule has their taxable amounts.',
    ],
  },
  {
    form: 'AZ-TPT-2',
    title: 'TPT-2, Transaction Privilege, Use, and Severance Tax Return',
    edition: 'Periods from June 2016',
    source:
      'Arizona Department of Revenue, TPT-EZ and its instructions (lines 7, 14 and A1, columns F to M), read in a copy; the TPT-2 was not read',
    confidence: 'low',
    unit: 1n,
    lines: [
      { line: '7 (F)', label: 'State and county: gross receipts, business code 017 or 605', figure: 'gross' },
      { line: '7 (G)', label: 'State and county: deductions (schedule A)', figure: 'deductions' },
      { line: '7 (H)', label: 'State and county: net taxable', add: ['7 (F)'], subtract: ['7 (G)'] },
      { line: '7 (J)', label: 'State and county: total tax', figure: 'tax', only: { types: notCities } },
      { line: '7 (L)', label: 'State and county: accounting credit', blank: discount },
      { line: '14 (F)', label: 'Cities: gross receipts', figure: 'gross', only: { types: ['city'] } },
      { line: '14 (G)', label: 'Cities: deductions (schedule A)', figure: 'deductions', only: { types: ['city'] } },
      { line: '14 (H)', label: 'Cities: net taxable', add: ['14 (F)'], subtract: ['14 (G)'] },
      { line: '14 (J)', label: 'Cities: total tax', figure: 'tax', only: { types: ['city'] } },
      { line: 'A1', label: 'State excess tax collected', figure: 'over_collected', only: { types: notCities } },
      { line: 'A2', label: 'Excess tax accounting credit', blank: discount },
      {
        line: 'City excess tax',
        label: 'City excess tax collected',
        figure: 'over_collected',
        only: { types: ['city'] },
      },
      { line: 'Tax', label: 'Tax before accounting credits', add: ['7 (J)', '14 (J)', 'A1', 'City excess tax'] },
      { line: 'Payments', label: 'Penalty and interest, estimated payments', blank: payments },
    ],
    total: 'Tax',
    schedule: 'Transaction details by region code: the rate of a county row includes the state',
    notes: [
      'A row of the form has one rate for the state and the county together. The rows of the schedule have the local part only.',
      'Cities that tax food for home consumption report it under business code 062, in rows of its own.',
    ],
  },
  {
    form: 'VA-ST-1',
    title: 'ST-1, Retail Sales and Use Tax Return',
    edition: 'From the period April 2025; lines of the ST-9 of July 2022, which it replaces',
    source:
      'Virginia Department of Taxation, ST-9 and ST-8 (lines 1 to 10d), read in copies; line numbers of the ST-1 not compared with the form',
    confidence: 'low',
    unit: 1n,
    lines: [
      { line: '1', label: 'Gross sales', figure: 'gross' },
      { line: '2', label: 'Personal use', blank: purchases },
      { line: '3', label: 'Exempt state sales and other deductions', figure: 'deductions' },
      { line: '4', label: 'Total taxable state sales and use', add: ['1', '2'], subtract: ['3'] },
      {
        line: '5 (A)',
        label: 'Taxable sales of qualifying food and essential personal hygiene products (local tax only)',
        figure: 'taxable',
        only: { types: ['state'], rate: '0.01' },
      },
      {
        line: '6 (A)',
        label: 'Taxable general sales',
        figure: 'taxable',
        only: { types: ['state'], rate: '0.053' },
      },
      // The content has one rate for the state's and the statewide local tax, which every locality levies.
      {
        line: 'State and local tax',
        label: 'State tax, 4.3 percent of line 6 (A), and local tax, 1 percent of lines 5 (A) and 6 (A)',
        figure: 'state_tax',
      },
      { line: '8', label: "Dealer's discount", blank: discount },
      { line: '10a', label: 'Northern Virginia regional tax', figure: 'tax', only: { codes: [virginia.northern] } },
      { line: '10b', label: 'Hampton Roads regional tax', figure: 'tax', only: { codes: [virginia.hamptonRoads] } },
      { line: '10c', label: 'Central Virginia regional tax', figure: 'tax', only: { codes: [virginia.central] } },
      { line: '10d', label: 'Historic Triangle regional tax', figure: 'tax', only: { codes: [virginia.triangle] } },
      {
        line: 'Other local tax',
        label: 'Other local tax, such as the additional 1 percent of some localities',
        figure: 'local_tax',
        only: { except: Object.values(virginia) },
      },
      { line: 'Excess tax', label: 'Tax collected in excess', figure: 'over_collected' },
      {
        line: 'Total',
        label: 'Total sales tax',
        add: ['State and local tax', '10a', '10b', '10c', '10d', 'Other local tax', 'Excess tax'],
      },
      { line: 'Payments', label: 'Prepaid wireless fee, penalty and interest', blank: payments },
    ],
    total: 'Total',
    schedule: 'Regions and localities',
    notes: ['The form asks for the local tax of 1 percent by locality. A filing does not split it by locality.'],
  },
  {
    form: 'MA-ST-9',
    title: 'ST-9, Sales and Use Tax Return',
    edition: 'January 2016, in use for 2023',
    source: 'Massachusetts Department of Revenue, ST-9, lines 1 to 14',
    confidence: 'medium',
    unit: 1n,
    lines: [
      { line: '1', label: 'Gross sales', figure: 'gross' },
      { line: '2', label: 'Sales for resale, exempt sales or other adjustments', figure: 'deductions' },
      {
        line: '3 and 4',
        label: 'Exempt sales of materials, tools and fuel, of machinery and replacement parts',
        blank: 'Levy does not separate these sales. Move their amounts from line 2.',
      },
      { line: '5', label: 'Total nontaxable sales', add: ['2', '3 and 4'] },
      { line: '6', label: 'Total taxable sales', add: ['1'], subtract: ['5'] },
      { line: '7', label: 'Total sales tax, with tax collected in excess', figure: 'tax_due' },
      { line: '8 and 9', label: 'Use tax', blank: purchases },
      { line: '10', label: 'Total sales and use tax', add: ['7', '8 and 9'] },
      { line: '11', label: 'Credit for prepaid tax on tobacco products', blank: payments },
      { line: '12', label: 'Line 10 less line 11', add: ['10'], subtract: ['11'] },
      { line: '13 and 14', label: 'Penalties and interest, total amount due', blank: payments },
    ],
    total: '10',
    schedule: 'No local tax',
    notes: ['Line 6 is not less than zero. If credits exceed sales, ask the department for an abatement.'],
  },
];
