import { listRegistrations, type Settings } from '../accounts/account.ts';
import { getOrAdd } from '../base/collections.ts';
import type { CollectionExemption, Delivery, Place } from '../tax/document.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { documentIds } from './echo.ts';
import type { Customer, certificateReasons, Exemption } from './fields.ts';
import type { CalculationInput } from './request.ts';
import type { AppliedExemption, LineItemResponse, Warning } from './response.ts';

/** A customer's exemption certificate; `states` contains jurisdiction codes (`US-IN`), or is `null` for all states. */
export type Certificate = Pick<AppliedExemption, 'certificate_number' | 'valid_from' | 'valid_to'> & {
  readonly reason: (typeof certificateReasons)[number];
  readonly states: readonly string[] | null;
};

/** The certificates of buyers: currently stored for the customers, or recorded in a transaction by line item id. */
export type KnownCertificates =
  | { readonly customers: ReadonlyMap<string, readonly Certificate[]> }
  | {
      readonly recorded: ReadonlyMap<string, AppliedExemption | null>;
      /** The parts of charges with their own addresses that certificates exempt (`exemptDelivery`). */
      readonly exemptDeliveries: ReadonlySet<string>;
      readonly warnings: readonly Warning[];
    };

type Buyers = Pick<CalculationInput, 'customer' | 'collected_by'> & {
  readonly line_items?: readonly { readonly customer?: Customer | null | undefined }[] | null | undefined;
};

/**
 * Returns the buyer's exemption or use for a line item, as sent. The line's customer overrides the document's customer,
 * which is ignored if the line has a different customer id. `none` disables every certificate.
 */
export const buyerField = <Name extends 'exemption' | 'use'>(
  name: Name,
  line: Customer | null | undefined,
  document: Customer | null | undefined,
): NonNullable<Customer[Name]> | null => {
  const [lineId, documentId] = [line?.id ?? null, document?.id ?? null];
  const isSameBuyer = lineId === null || documentId === null || lineId === documentId;
  return line?.[name] ?? (isSameBuyer ? document?.[name] : null) ?? null;
};

const inlineExemption = (line: Customer | null | undefined, document: Customer | null | undefined) =>
  buyerField('exemption', line, document);

/** Whether a certificate may exempt a part of a request: one that it contains, a stored or a recorded one. */
export const mayBeExempt = (
  { customer, line_items }: Pick<Buyers, 'customer' | 'line_items'>,
  certificates: KnownCertificates | undefined,
): boolean =>
  certificates !== undefined || [{ customer }, ...(line_items ?? [])].some((buyer) => buyer.customer?.exemption);

/** Finds the certificates of the existing customers by id: one call per hundred ids, sequentially. */
export type FindCertificates = (
  account: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, readonly Certificate[]>>;

/** Whether the certificates of the stored customer can apply: the request has no exemption, or one for some states. */
const mayUseStored = (inline: ReturnType<typeof inlineExemption>): boolean =>
  inline === null || (typeof inline !== 'string' && Boolean(inline.regions));

/**
 * Returns the unique ids of customers whose certificates can apply to a request. An exemption in the request takes
 * precedence in its states.
 */
export const listCustomerIds = ({ customer, collected_by, line_items }: Buyers): readonly string[] => {
  if (collected_by === 'marketplace') return [];
  const ids = (line_items ?? [])
    .filter((line) => mayUseStored(inlineExemption(line.customer, customer)))
    .map((line) => line.customer?.id ?? customer?.id ?? null);
  return [...new Set(ids.filter((id) => id !== null))];
};

/** Returns the certificates that a transaction recorded, so that a recalculation gives the same amounts. */
export const recordedCertificates = ({
  transaction: { line_items, warnings },
  exemptDeliveries,
}: {
  readonly transaction: { readonly line_items: readonly LineItemResponse[]; readonly warnings: readonly Warning[] };
  readonly exemptDeliveries?: readonly string[] | undefined;
}): KnownCertificates => ({
  recorded: new Map(line_items.map(({ id, applied_exemption }) => [id, applied_exemption])),
  exemptDeliveries: new Set(exemptDeliveries),
  warnings: warnings.filter(({ code }) => certificateWarnings.has(code)),
});

const certificateWarnings: ReadonlySet<string> = new Set<Warning['code']>([
  'exemption_expired',
  'exemption_not_yet_valid',
]);

const isWithin = (day: string, from: string | null | undefined, to: string | null | undefined): boolean =>
  (!from || from <= day) && (!to || day <= to);

/** Converts an exemption in the request to the form that is recorded with a line item. */
const appliedInline = (exemption: Exemption): AppliedExemption => ({
  customer_id: null,
  reason: exemption.type,
  certificate_number: exemption.certificate_id ?? null,
  valid_from: exemption.valid_from ?? null,
  valid_to: exemption.valid_to ?? null,
});

// Sorts after every date.
const noEnd = '~';
const lastDay = ({ valid_to }: Certificate): string => valid_to ?? noEnd;

/** Returns the first certificate in the given order. */
const first = (certificates: readonly Certificate[], precedes: (a: Certificate, b: Certificate) => boolean) =>
  certificates.reduce<Certificate | null>(
    (best, certificate) => (best === null || precedes(certificate, best) ? certificate : best),
    null,
  );

const latest = (certificates: readonly Certificate[]) => first(certificates, (a, b) => lastDay(a) > lastDay(b));

type Terms = Pick<AppliedExemption, 'customer_id' | 'reason' | 'certificate_number' | 'valid_from' | 'valid_to'>;

const describeCertificate = ({ customer_id, reason, certificate_number: number }: Terms): string => {
  const label = number === null ? `The ${reason} certificate` : `The ${reason} certificate ${number}`;
  return customer_id === null ? `${label} in the request` : `${label} of customer ${customer_id}`;
};

const storedAdvice = 'Tax applies. Add a certificate that is valid on the tax date with POST /customers/{id}.';
const inlineAdvice =
  "Tax applies. Send an exemption that is valid on the tax date, or none to use the stored customer's certificates.";

const warning = (
  code: 'exemption_expired' | 'exemption_not_yet_valid',
  certificate: Terms,
  placeName: string,
): Omit<Warning, 'pointer'> => {
  const when =
    code === 'exemption_expired'
      ? `expired: its last day was ${certificate.valid_to}`
      : `is not yet valid: its first day is ${certificate.valid_from}`;
  const advice = certificate.customer_id === null ? inlineAdvice : storedAdvice;
  return { code, message: `${describeCertificate(certificate)} for ${placeName} ${when}. ${advice}` };
};

type Question = {
  readonly customerId: string;
  /** The jurisdiction code of the state that taxes the sale. */
  readonly place: string;
  /** The state's name, for messages. */
  readonly placeName: string;
  /** The tax day. */
  readonly day: string;
};

/** The applicable certificate, or the reasons why none applies. */
type Choice = { readonly applied: AppliedExemption | null; readonly warnings: readonly Omit<Warning, 'pointer'>[] };

/**
 * Chooses the customer's certificate that exempts a sale in a state on a day. Among several valid certificates, the one
 * with the latest last day applies (no last day is the latest), then the first in the customer's list.
 *
 * If none is valid, warns about the most recently expired and the next valid certificate.
 */
export const chooseCertificate = (certificates: readonly Certificate[], question: Question): Choice => {
  const { customerId, place, placeName, day } = question;
  const withCustomer = (certificate: Certificate) => ({ ...certificate, customer_id: customerId });
  const ofPlace = certificates.filter(({ states }) => states === null || states.includes(place));
  const valid = latest(ofPlace.filter(({ valid_from, valid_to }) => isWithin(day, valid_from, valid_to)));
  if (valid) {
    const { states: _, ...terms } = valid;
    return { applied: { customer_id: customerId, ...terms }, warnings: [] };
  }
  const expired = latest(ofPlace.filter((certificate) => lastDay(certificate) < day));
  const next = first(
    ofPlace.filter(({ valid_from }) => (valid_from ?? '') > day),
    (a, b) => (a.valid_from ?? '') < (b.valid_from ?? ''),
  );
  return {
    applied: null,
    warnings: [
      ...(expired ? [warning('exemption_expired', withCustomer(expired), placeName)] : []),
      ...(next ? [warning('exemption_not_yet_valid', withCustomer(next), placeName)] : []),
    ],
  };
};

/** Why no tax is collected for a line or its shipping. */

const isFor = ({ regions }: Exemption, place: string): boolean =>
  !regions || regions.some((region) => stateJurisdiction(region) === place);

/** Returns whether an account collects tax in a place (`US-MI`) on a day. */
export const isRegistered = (settings: Pick<Settings, 'registrations'>, place: string, day: string): boolean =>
  listRegistrations(settings)?.some(
    ({ state, from, to }) => stateJurisdiction(state) === place && isWithin(day, from, to),
  ) ?? true;

type Buyer = { readonly exemption: AppliedExemption | null; readonly warnings: readonly Warning[] };

const noCertificate: Buyer = { exemption: null, warnings: [] };

/** Returns the key by which a transaction records a line's exempt part of a charge with a separate address. */
export const exemptDelivery = ({ id, line }: { readonly id: string; readonly line: number }): string => `${id} ${line}`;

/** A certificate that exempted a charge in `shipping`. A transaction records only that there was one. */
const unknownCertificate = appliedInline({ type: 'other' });

/**
 * The buyer with a certificate in the request for the place's state. `holder` is the pointer of the line item that has
 * it; empty for the document.
 */
const inlineBuyer = (inline: Exemption, { name }: Place, day: string, holder: string): Buyer => {
  const terms = appliedInline(inline);
  if (isWithin(day, terms.valid_from, terms.valid_to)) return { exemption: terms, warnings: [] };
  const [problem, field] =
    terms.valid_to !== null && terms.valid_to < day
      ? (['exemption_expired', 'valid_to'] as const)
      : (['exemption_not_yet_valid', 'valid_from'] as const);
  const pointer = `${holder}/customer/exemption/${field}`;
  return { exemption: null, warnings: [{ ...warning(problem, terms, name), pointer }] };
};

/**
 * Decides which certificate exempts a line item in a place on the tax date. A line's customer overrides the document's
 * customer, and a certificate in the request overrides the customer's certificates in its states. `charge` is the id of
 * a charge with its own address.
 */
const buyerFinder = (input: CalculationInput, day: string, known: KnownCertificates | undefined) => {
  const ids = known && 'recorded' in known ? documentIds(input).lines : [];
  const chosen = new Map<string, ReturnType<typeof chooseCertificate>>();
  return (customer: Customer | null, index: number, taxing: Place, charge: string | undefined): Buyer => {
    const { code: place, name: placeName } = taxing;
    const inline = inlineExemption(customer, input.customer);
    if (typeof inline === 'string') return noCertificate;
    if (inline && isFor(inline, place))
      return inlineBuyer(inline, taxing, day, customer?.exemption ? `/line_items/${index}` : '');
    const customerId = customer?.id ?? input.customer?.id ?? null;
    if (known === undefined || customerId === null) return noCertificate;
    if ('recorded' in known) {
      const exemption = known.recorded.get(charge ?? ids[index] ?? '') ?? null;
      if (charge === undefined) return { exemption, warnings: [] };
      const isExempt = known.exemptDeliveries.has(exemptDelivery({ id: charge, line: index }));
      return { exemption: isExempt ? (exemption ?? unknownCertificate) : null, warnings: [] };
    }
    const certificates = known.customers.get(customerId);
    if (!certificates) return noCertificate;
    const { applied, warnings } = getOrAdd(chosen, `${place} ${customerId}`, () =>
      chooseCertificate(certificates, { customerId, place, placeName, day }),
    );
    const pointer = `${customer?.id ? `/line_items/${index}` : ''}/customer/id`;
    return { exemption: applied, warnings: warnings.map((warning) => ({ ...warning, pointer })) };
  };
};

/** Why a line is not taxed in a place, and the certificate behind the reason. */
export type LineCollectionExemption = Buyer & { readonly collectionExemption: CollectionExemption };

/**
 * Returns the exemption of a charge that delivers the line. SNAP benefits pay for the goods but not for deliveries, so
 * the charge is taxed as the delivery of exempt goods.
 */
export const deliveryExemption = ({
  collectionExemption,
  exemption,
}: LineCollectionExemption): Pick<Delivery, 'collectionExemption' | 'isForGoodsOnly'> =>
  exemption?.reason === 'snap' ? { collectionExemption: null, isForGoodsOnly: true } : { collectionExemption };

/**
 * Returns a function that finds why no tax is collected in a place for a line item (by index), or for its part of a
 * charge with a separate address. Checks in this order: the account is not registered, a marketplace collects, the
 * buyer's certificate is valid.
 */
export const collectionExemptionFinder = (
  input: CalculationInput,
  day: string,
  { certificates, settings }: { readonly certificates?: KnownCertificates; readonly settings: Settings },
) => {
  const findBuyer = mayBeExempt(input, certificates) ? buyerFinder(input, day, certificates) : () => noCertificate;
  return (index: number, place: Place, charge?: string): LineCollectionExemption => {
    // If the seller collects from no buyer, no certificate is needed.
    if (!isRegistered(settings, place.code, day)) return { ...noCertificate, collectionExemption: 'not_collecting' };
    if (input.collected_by === 'marketplace') return { ...noCertificate, collectionExemption: 'marketplace_collects' };
    const buyer = findBuyer(input.line_items?.[index]?.customer ?? null, index, place, charge);
    return { ...buyer, collectionExemption: buyer.exemption ? 'customer_exempt' : null };
  };
};
