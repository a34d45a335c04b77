import { dayMs, toDay } from '../base/calendar.ts';
import { mapResult, type Result } from '../base/result.ts';
import { calculate, listExemptDeliveries, type Outcome } from '../calculations/calculate.ts';
import { exemptDelivery, type KnownCertificates, listCustomerIds } from '../calculations/certificates.ts';
import type { Context } from '../calculations/document.ts';
import { listAddresses } from '../calculations/locate-lines.ts';
import type { CalculationInput } from '../calculations/request.ts';
import type { Warning } from '../calculations/response.ts';
import type { LoadContent } from '../catalog/content.ts';
import type { TaxAddress } from '../catalog/location/address.ts';
import { statesOfZip } from '../catalog/location/zip-states.ts';
import { minorDigits, parseAmount } from '../money/currency.ts';
import { buildCredit } from './credits/credit.ts';
import { type CreditRequest, unmatchedInput } from './credits/outcome.ts';
import { shippingIn, sumExemptParts, toExemptPart } from './entries/entries.ts';
import type { Ports } from './ports.ts';
import type { SettingsSnapshot } from './settings-snapshot.ts';
import type { StoredTransaction } from './transaction.ts';

type Addressed = Pick<CalculationInput, 'customer' | 'ship_from' | 'line_items'>;
type Dated = Addressed & Pick<CalculationInput, 'tax_date'>;

/** The content-independent parts of a context: the account's settings, and the service's time in milliseconds. */
export type BaseContext = Omit<Context, 'releaseFor'>;

/** The read ports of a calculation: content, and the customers of an account. */
type CalculationReads = Pick<Ports, 'loadContent' | 'customers'> & { readonly account: string };

/**
 * Returns the current certificates of the input's customers. Skips the read if the input has no customer, or if the
 * context already has the recorded certificates.
 */
const findCertificates = async (
  input: Parameters<typeof listCustomerIds>[0],
  { certificates }: BaseContext,
  { account, customers }: CalculationReads,
): Promise<KnownCertificates | undefined> => {
  const ids = certificates ? [] : listCustomerIds(input);
  if (ids.length === 0) return certificates;
  return { customers: await customers.findSome(account, ids) };
};

/**
 * Loads the context of a new calculation: the active content for the input's addresses, effective from the day before
 * the tax date.
 */
export const currentContext = async (input: Dated, base: BaseContext, loadContent: LoadContent): Promise<Context> => ({
  ...base,
  releaseFor: await loadContent(listAddresses(input, base.settings), {}, dayBeforeTax(input, base)),
});

// No time zone is more than a day behind UTC.
const dayBeforeTax = ({ tax_date }: Dated, { now }: BaseContext): string =>
  toDay((tax_date ? Date.parse(tax_date) : now) - dayMs);

type Pinning = {
  readonly transaction: { readonly content_releases: Readonly<Record<string, string>> };
  readonly settingsSnapshot: SettingsSnapshot;
};

/**
 * Loads the context of a recalculation that must reproduce the recorded amounts: the pinned releases and settings. A
 * state without a pinned release uses the active one, unless the ZIP spans several states and a different state was
 * chosen. Throws if a pinned release no longer exists.
 */
export const pinnedContext = async (
  input: Addressed,
  { transaction: { content_releases }, settingsSnapshot }: Pinning,
  { settings, ...base }: BaseContext,
  loadContent: LoadContent,
): Promise<Context> => {
  const then = { ...settings, ...settingsSnapshot };
  const isPinned = (state: string | null) => Object.hasOwn(content_releases, `US-${state}`);
  const isChosen = ({ isStateGuessed, state, zip5 }: TaxAddress) =>
    !isStateGuessed || isPinned(state) || !statesOfZip(zip5 ?? '').some(isPinned);
  const found = await loadContent(listAddresses(input, then), content_releases);
  return { ...base, settings: then, releaseFor: (address) => (isChosen(address) ? found(address) : undefined) };
};

/** The certificates of charges with separate addresses. The outcome does not contain them. */
export type Exemptions = Pick<StoredTransaction, 'exemptDeliveries' | 'exemptShipping'>;

/** The calculated totals of a document. For a credit of a sale, `kind` is the kind of credit. */
type Calculated = {
  readonly outcome: Outcome;
  readonly kind: StoredTransaction['creditOf'];
  readonly exemptions: Exemptions;
};

/**
 * Returns the exemptions of a sale to record. A credit takes exemptions of shipping from its sale
 * (`withExemptShipping`).
 */
const findExemptions = (input: CalculationInput, context: Context, isSale: boolean, outcome: Outcome): Exemptions => {
  const exempt = listExemptDeliveries(input, context);
  const exponent = minorDigits(outcome.currency);
  const net = (line: number) => parseAmount(outcome.line_items[line]?.net_amount ?? '0', exponent);
  const byPlace = Map.groupBy(exempt, ({ id, located }) => shippingIn(id, located.place.code));
  const exemptShipping = [...byPlace].map(([place, parts]) => {
    const exemptParts = parts.map(({ line, exemption }) => toExemptPart(exemption, net(line)));
    return [place, sumExemptParts(exemptParts)] as const;
  });
  return {
    exemptDeliveries: exempt.length > 0 ? exempt.map(exemptDelivery) : undefined,
    exemptShipping: isSale && exempt.length > 0 ? Object.fromEntries(exemptShipping) : undefined,
  };
};

const withCertificates = (context: Context, certificates: KnownCertificates | undefined): Context =>
  certificates ? { ...context, certificates } : context;

/**
 * Calculates a document from the active content, or a credit from the current state of its sale and the sale's content.
 * Lines that are calculated use the certificates of `base` if given, otherwise the customers' current certificates.
 */
export const calculateWithContent = async (
  request: CreditRequest,
  sale: StoredTransaction | null,
  base: BaseContext,
  reads: CalculationReads,
  sent: readonly Warning[],
): Promise<Result<Calculated>> => {
  const { loadContent } = reads;
  const input = sale ? unmatchedInput(sale.transaction, request) : request;
  const [context, certificates] = await Promise.all([
    sale ? pinnedContext(input, sale, base, loadContent) : currentContext(input, base, loadContent),
    findCertificates(input, base, reads),
  ]);
  const known = withCertificates(context, certificates);
  const calculated: Result<Omit<Calculated, 'exemptions'>> = sale
    ? buildCredit(sale, request, known, sent)
    : mapResult(calculate(request, known, sent), (outcome) => ({ outcome, kind: null }));
  return mapResult(calculated, (found) => ({
    ...found,
    exemptions: findExemptions({ ...input, type: request.type }, known, sale === null, found.outcome),
  }));
};
