/**
 * The simplified electronic return of the Streamlined Sales Tax Agreement (SSUTA section 318), as XML of the schema
 * version SST2015V01: one transmission with a document for each filing.
 */
import { createHash } from 'node:crypto';
import type { Account, ReturnIdentity } from '../accounts/account.ts';
import { assert } from '../base/assert.ts';
import { accept, mapResult, type Problem, type Result, refuse } from '../base/result.ts';
import { findOtherTax, isStreamlinedMember, usesCompositeCodes } from '../catalog/streamlined.ts';
import type { processTypes, returnTypes } from '../filings/request.ts';
import type { Filing } from '../filings/response.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import { stateFips, stateName, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';

type ReturnOptions = {
  readonly processType: (typeof processTypes)[number];
  readonly returnType: (typeof returnTypes)[number];
  /** The number of exceptions of all filings that the client reviewed. */
  readonly acknowledged: number | undefined;
};

/** A test of an original return. */
export const testReturn: ReturnOptions = { processType: 'T', returnType: 'O', acknowledged: undefined };

type Total = NonNullable<Filing['totals']>[number];

// Returns are in US dollars.
const read = (text: string): bigint => parseAmount(text, 2);
const money = (amount: bigint): string => formatAmount(amount, 2);

/** The code of a jurisdiction in the return. The codes of imported rate files begin with the type: `00-053`. */
const returnCode = ({ reporting_code }: Total): string | null =>
  /^(?:\d\d-)?(\d{3}|\d{5})$/.exec(reporting_code ?? '')?.[1] ?? null;

type Due = { readonly inState: bigint; readonly outOfState: bigint };

const buildDue = ({ tax_due }: Total): Due => ({
  inState: read(tax_due.in_state),
  outOfState: read(tax_due.out_of_state),
});
const plus = (a: Due, b: Due): Due => ({ inState: a.inState + b.inState, outOfState: a.outOfState + b.outOfState });
const noDue: Due = { inState: 0n, outOfState: 0n };
const isDue = ({ inState, outOfState }: Due): boolean => inState !== 0n || outOfState !== 0n;

const isLocal = ({ jurisdiction_type }: Total): boolean => jurisdiction_type !== 'state';
const getSum = (totals: readonly Total[], part: keyof Total['tax_due']): bigint =>
  totals.reduce((sum, { tax_due }) => sum + read(tax_due[part]), 0n);

const listTotals = ({ totals, totals_next_cursor }: Filing): readonly Total[] => {
  assert(totals !== null && totals_next_cursor === null, 'The totals of the filing are incomplete.');
  return totals;
};

const incomplete = (title: string, detail: string): Problem => ({ code: 'conflict_return_incomplete', title, detail });

export const identityMissing = incomplete(
  'Identity missing',
  'The account has no return_identity. Set it on the page Settings of the console, or with POST /account.',
);

type Reason = readonly [title: string, detail: string];

/** Finds sales at a rate of the state that includes another tax. */
const otherTaxReason = (state: string, totals: readonly Total[]): Reason | false => {
  const other = findOtherTax(state);
  const own = totals.find(({ jurisdiction_code, currency }) => jurisdiction_code === state && currency === 'USD');
  const row = own?.rates.find(({ rate, gross_amount }) => rate === other?.rate && read(gross_amount) !== 0n);
  if (!other || !row) return false;
  return [
    'Other tax included',
    `The filing has sales of ${row.gross_amount} at the rate ${other.rate}, which includes ${other.tax}. The return has no element for it. Enter the totals in the state's forms.`,
  ];
};

/** Lists the amounts of a member's filing that the return cannot contain. */
const totalsReasons = (filing: Filing, name: string): (Reason | false)[] => {
  const totals = listTotals(filing);
  const foreign = new Set(totals.flatMap(({ currency }) => (currency === 'USD' ? [] : [currency])));
  const isComposite = usesCompositeCodes(filing.state);
  const uncoded = new Set(
    totals
      .filter((total) => total.currency === 'USD' && isLocal(total) && isDue(buildDue(total)))
      .filter((total) => isComposite || returnCode(total) === null)
      .map((total) => `${total.jurisdiction_name} (${total.jurisdiction_code})`),
  );
  const list = [...uncoded].join(', ');
  return [
    foreign.size > 0 && [
      'Other currencies',
      `The filing has amounts in ${[...foreign].join(', ')}, and the return is in USD. Convert them, and enter the totals in the state's form.`,
    ],
    otherTaxReason(filing.state, totals),
    uncoded.size > 0 && [
      'Reporting codes missing',
      isComposite
        ? `${name} requires composite codes of places, which Levy does not have: ${list}. Enter the totals in the state's form.`
        : `The content has no reporting code for these jurisdictions: ${list}. Import the rate and boundary files of ${name}, which have the codes, for later sales. Enter this period's totals in the state's form.`,
    ],
  ];
};

/** Lists the reasons why a filing cannot be returned electronically. */
const filingReasons = (filing: Filing, identity: ReturnIdentity | null): (Reason | false)[] => {
  const { state, status, period_end } = filing;
  const letters = stateOfJurisdiction(state);
  const name = stateName(letters);
  if (!isStreamlinedMember(state, period_end))
    return [
      [
        'State outside the Agreement',
        `${name} is not a full member of the Streamlined Sales Tax Agreement, so it does not accept this return. Enter the totals of the filing in the state's form.`,
      ],
    ];
  const isUnnamed = identity?.sst_id === null && identity.state_ids[letters] === undefined;
  return [
    isUnnamed && [
      'Account number missing',
      `return_identity has neither an sst_id nor an entry for ${letters} in state_ids. Set one of them.`,
    ],
    status === 'closing' && ['Filing not closed', 'The filing is still closing. Request the return again in a minute.'],
    status === 'canceled' && ['Filing canceled', 'The filing is canceled. Close the period again.'],
    ...totalsReasons(filing, name),
  ];
};

const filingProblems = (filing: Filing, identity: ReturnIdentity | null): Problem[] =>
  filingReasons(filing, identity)
    .filter((reason) => reason !== false)
    .map(([title, detail]) => incomplete(title, `${filing.state} ${filing.period_end}: ${detail}`));

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const element = (name: string, content: string | readonly string[]): string =>
  typeof content === 'string'
    ? `<${name}>${escaped(content)}</${name}>`
    : `<${name}>\n${content.join('\n')}\n</${name}>`;

/**
 * Derives an id from its content: nine characters of the transmitter, the year and the day of the year, and six
 * characters of a hash. Equal content gets the same id, and a corrected return a different one.
 */
const derivedId = (transmitter: string, instant: string, content: string): string => {
  const day = instant.slice(0, 10);
  const dayOfYear = (Date.parse(day) - Date.parse(`${day.slice(0, 4)}-01-01`)) / 86_400_000 + 1;
  const digest = createHash('sha256').update(content).digest().readUIntBE(0, 6).toString(36).padStart(6, '0');
  return `${transmitter}${day.slice(2, 4)}${String(dayOfYear).padStart(3, '0')}${digest.slice(-6).toUpperCase()}`;
};

const getTransmitter = ({ sst_id, tin }: ReturnIdentity): string => sst_id ?? tin.number;

/** The deductions by the buyer's reason. All others are `Other`, such as deductions by product and uncovered sales. */
const exemptionBreakout = ({ exempt_by_reason }: Filing['summary'][number], deductions: bigint): string[] => {
  const { direct_pay, government, nonprofit, resale } = exempt_by_reason;
  const named = {
    DirectPay: read(direct_pay),
    GovernmentExemptOrg: read(government) + read(nonprofit),
    Resale: read(resale),
  };
  const rest = Object.values(named).reduce((left, amount) => left - amount, deductions);
  return Object.entries({ ...named, Other: rest })
    .filter(([, amount]) => amount !== 0n)
    .map(([type, amount]) =>
      element('ExemptionDeductionBreakout', [
        element('ExemptionType', type),
        element('ExemptionAmount', money(amount)),
      ]),
    );
};

/** The local tax by the codes of the return, in order. Several taxes can have one code. */
const localDue = (totals: readonly Total[]): (readonly [code: string, due: Due])[] =>
  [...Map.groupBy(totals.filter(isLocal), (total) => returnCode(total) ?? '')]
    .map(([code, ofCode]) => [code, ofCode.map(buildDue).reduce(plus, noDue)] as const)
    .filter(([, due]) => isDue(due))
    .sort(([a], [b]) => (a < b ? -1 : 1));

const returnElement = (filing: Filing, returnType: ReturnOptions['returnType']): string => {
  const totals = listTotals(filing);
  const whole = filing.summary.find(({ currency }) => currency === 'USD');
  const gross = whole ? read(whole.gross_amount) : 0n;
  const taxable = whole ? read(whole.taxable_amount) : 0n;
  const own = totals.filter((total) => !isLocal(total));
  const ownDue = own.map(buildDue).reduce(plus, noDue);
  const foodAndDrugs = getSum(own, 'food_and_drugs');
  const locals = localDue(totals);
  const due = [ownDue, ...locals.map(([, ofCode]) => ofCode)].reduce(plus, noDue);
  const totalDue = due.inState + due.outOfState + foodAndDrugs;
  const fees = getSum(totals, 'fees');
  const isEqual =
    totalDue + fees === (whole ? read(whole.calculated_tax_amount) + read(whole.over_collected_amount) : 0n);
  assert(isEqual, 'The tax due of the jurisdictions differs from the tax due of the filing.');
  return element('SimplifiedElectronicReturn', [
    ...(fees === 0n ? [] : [`<!-- Not included: fees of ${money(fees)}, which are reported separately. -->`]),
    element('ReturnType', returnType),
    element('TotalSales', money(gross)),
    element('ExemptionsDeductions', money(gross - taxable)),
    ...(whole ? exemptionBreakout(whole, gross - taxable) : []),
    element('TaxableSales', money(taxable)),
    element('StateTaxDueSalesInState', money(ownDue.inState)),
    element('StateTaxDueSalesOrigOutOfState', money(ownDue.outOfState)),
    // Levy records sales, not the seller's own purchases.
    element('StateTaxDueOwnPurchWithdraw', money(0n)),
    element('StateTaxDueFoodDrug', money(foodAndDrugs)),
    ...locals.map(([code, { inState, outOfState }]) =>
      element('JurisdictionDetail', [
        element('JurisdictionCode', code),
        element('JurisTaxDueSalesInState', money(inState)),
        element('JurisTaxDueSalesOrigOutOfState', money(outOfState)),
      ]),
    ),
    element('TotalTaxDue', money(totalDue)),
    element('AmountDueOrRefund', money(totalDue)),
  ]);
};

const returnDocument = (filing: Filing, identity: ReturnIdentity, options: ReturnOptions): string => {
  const { id, state, period_start, period_end, closed_at } = filing;
  const letters = stateOfJurisdiction(state);
  const stateId = identity.state_ids[letters];
  const content = [
    element('DocumentType', 'SEROnly'),
    element('SSTFilingHeader', [
      element('TaxPeriodStartDate', period_start),
      element('TaxPeriodEndDate', period_end),
      element('FilingType', 'SEROnly'),
      stateId === undefined ? element('SSTPID', identity.sst_id ?? '') : element('StateID', stateId),
      `<TIN TypeTIN="${identity.tin.type}">${element('FedTIN', identity.tin.number)}</TIN>`,
      element('FIPSCode', stateFips(letters)),
    ]),
    returnElement(filing, options.returnType),
  ];
  const identified = [options.processType, id, ...content].join('\n');
  const documentId = derivedId(getTransmitter(identity), closed_at ?? period_end, identified);
  return element('SimplifiedReturnDocument', [element('DocumentId', documentId), ...content]);
};

/**
 * Writes one transmission with the return of each filing. Each filing must have all of its totals. The same filings
 * give the same bytes. A dry run has no time stamp. The vendor's discount, prepayments, and use tax on own purchases
 * are not known, and fees are not included.
 *
 * Refused with `conflict_return_incomplete`, with one problem for each reason: an account without `return_identity`, a
 * state outside of the Agreement or without an account number, a filing that is not closed, exceptions that are not
 * acknowledged (production only), a currency other than USD, a state rate with another tax, local jurisdictions without
 * a reporting code.
 */
export const electronicReturn = (
  filings: readonly Filing[],
  identity: ReturnIdentity | null,
  options: ReturnOptions,
): Result<string> => {
  // Filing a return acknowledges its exceptions.
  const exceptions = filings.reduce(
    (sum, { status, exceptions }) => sum + (['marking', 'filed'].includes(status) ? 0 : (exceptions?.count ?? 0)),
    0,
  );
  const isUnreviewed = options.processType === 'P' && exceptions > 0 && options.acknowledged !== exceptions;
  const advice = `There are ${exceptions} exceptions. Review them, then send acknowledge_exceptions=${exceptions}.`;
  const [first, ...others] = [
    ...(identity ? [] : [identityMissing]),
    ...(isUnreviewed ? [incomplete('Exceptions not acknowledged', advice)] : []),
    ...filings.flatMap((filing) => filingProblems(filing, identity)),
  ];
  if (first || !identity) return refuse(first as Problem, ...others);
  const documents = filings.map((filing) => returnDocument(filing, identity, options));
  const closed = filings.map(({ closed_at }) => closed_at ?? '').sort();
  const ends = filings.map(({ period_end }) => period_end).sort();
  const [at = '', end = ''] = [closed.at(-1), ends.at(-1)];
  const transmitter = getTransmitter(identity);
  return accept(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<SSTSimplifiedReturnTransmission transmissionVersion="SST2015V01">',
      element('TransmissionHeader', [
        element('TransmissionId', derivedId(transmitter, at || end, `transmission ${documents.join('\n')}`)),
        ...(at === '' ? [] : [element('Timestamp', at)]),
        element('Transmitter', [element('ETIN', transmitter)]),
        element('ProcessType', options.processType),
        element('DocumentCount', String(documents.length)),
      ]),
      ...documents,
      '</SSTSimplifiedReturnTransmission>',
      '',
    ].join('\n'),
  );
};

/** The electronic return of one filing. */
export type FilingReturn = { readonly filing: Filing; readonly xml: string; readonly isTest: boolean };

/** Writes the return of a filing or a dry run with all its totals. Returns the refusals of `electronicReturn`. */
export const filingReturn = (
  filing: Filing,
  { settings: { return_identity } }: Pick<Account, 'settings'>,
  options: ReturnOptions,
): Result<FilingReturn> =>
  mapResult(electronicReturn([filing], return_identity, options), (xml) => ({
    filing,
    xml,
    isTest: options.processType === 'T',
  }));

/** The return of an example filing, for the documentation. */
export const exampleReturn = (filing: Filing): string => {
  const tin = { type: 'FEIN', number: '123456789' } as const;
  const identity = { legal_name: 'A Shop LLC', tin, sst_id: 'S12345678', state_ids: {} };
  const written = electronicReturn([filing], identity, testReturn);
  assert(written.ok, 'The example has no return.');
  return written.value;
};

/** Returns the hash of a return, which its file name and its `ETag` contain. A changed return has a different hash. */
export const returnHash = ({ xml }: Pick<FilingReturn, 'xml'>): string =>
  createHash('sha256').update(xml).digest('hex').slice(0, 16);

/** Returns the name of the file of a filing's return: `US-MN_2026-10-31_return-test_0123456789abcdef.xml`. */
export const returnName = ({ filing: { state, period_end }, isTest, xml }: FilingReturn): string =>
  `${state}_${period_end}_return${isTest ? '-test' : ''}_${returnHash({ xml })}.xml`;
