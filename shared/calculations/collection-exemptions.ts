/** Why nothing is collected for a line or its shipping. */
import { listRegistrations, type Settings } from '../accounts/account.ts';
import { getOrAdd } from '../base/collections.ts';
import type { CollectionExemption, Place } from '../tax/document.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import {
  appliedInline,
  chooseCertificate,
  inlineExemption,
  inlineWarning,
  isWithin,
  type KnownCertificates,
} from './certificates.ts';
import { documentIds } from './echo.ts';
import type { Customer, Exemption } from './fields.ts';
import type { CalculationInput } from './request.ts';
import type { AppliedExemption, Warning } from './response.ts';

const isFor = ({ regions }: Exemption, place: string): boolean =>
  !regions || regions.some((region) => stateJurisdiction(region) === place);

/** Why nothing is collected in a place (`US-MI`) on a tax day from any buyer, or `null`. */
const sellersCollectionExemption = (
  collectedBy: CalculationInput['collected_by'],
  place: string,
  day: string,
  settings: Settings,
): CollectionExemption => {
  const registrations = listRegistrations(settings);
  if (
    registrations &&
    !registrations.some(({ state, from, to }) => stateJurisdiction(state) === place && isWithin(day, from, to))
  )
    return 'not_collecting';
  return collectedBy === 'marketplace' ? 'marketplace_collects' : null;
};

type Buyer = {
  readonly exemption: AppliedExemption | null;
  readonly warnings: readonly Warning[];
};

const noCertificate: Buyer = { exemption: null, warnings: [] };

/**
 * The buyer with a certificate of the request. `holder` is the pointer of the line item that has it; empty for the
 * document.
 */
const inlineBuyer = (inline: Exemption, { code, name }: Place, day: string, holder: string): Buyer => {
  if (!isFor(inline, code)) return noCertificate;
  if (isWithin(day, inline.valid_from, inline.valid_to)) return { exemption: appliedInline(inline), warnings: [] };
  const warning = inlineWarning(inline, name, day);
  return { exemption: null, warnings: [{ ...warning, pointer: `${holder}${warning.pointer}` }] };
};

/**
 * Decides which certificate exempts a line item in a place on the tax day. A line's customer overrides the document's,
 * and a certificate in the request overrides the customer's certificates.
 */
const buyerFinder = (input: CalculationInput, day: string, known: KnownCertificates | undefined) => {
  const ids = known && 'recorded' in known ? documentIds(input).lines : [];
  const chosen = new Map<string, ReturnType<typeof chooseCertificate>>();
  return (customer: Customer | null, index: number, taxing: Place): Buyer => {
    const { code: place, name: placeName } = taxing;
    const inline = inlineExemption(customer, input.customer);
    if (typeof inline === 'string') return noCertificate;
    if (inline) return inlineBuyer(inline, taxing, day, customer?.exemption ? `/line_items/${index}` : '');
    const customerId = customer?.id ?? input.customer?.id ?? null;
    if (known === undefined || customerId === null) return noCertificate;
    if ('recorded' in known) return { exemption: known.recorded.get(ids[index] ?? '') ?? null, warnings: [] };
    const certificates = known.customers.get(customerId);
    if (!certificates) return noCertificate;
    const { applied, warnings } = getOrAdd(chosen, `${place} ${customerId}`, () =>
      chooseCertificate(certificates, { customerId, place, placeName, day }),
    );
    const pointer = `${customer?.id ? `/line_items/${index}` : ''}/customer/id`;
    return { exemption: applied, warnings: warnings.map((warning) => ({ ...warning, pointer })) };
  };
};

/** The reason for no tax of a line in a place, and the certificate behind it. */
export type LineCollectionExemption = Buyer & { readonly collectionExemption: CollectionExemption };

/**
 * The collection exemption of a charge that delivers the line. SNAP benefits do not pay for deliveries, so that the
 * charge is taxed as the delivery of exempt goods.
 */
export const deliveryCollectionExemption = ({
  collectionExemption,
  exemption,
}: LineCollectionExemption): CollectionExemption => (exemption?.reason === 'snap' ? null : collectionExemption);

/**
 * Finds why nothing is collected for a line item, by its index, in a place, in this order: the account is not registered, a
 * marketplace collects, the buyer's certificate is valid.
 */
export const collectionExemptionFinder = (
  input: CalculationInput,
  day: string,
  { certificates, settings }: { readonly certificates?: KnownCertificates; readonly settings: Settings },
) => {
  const findBuyer = buyerFinder(input, day, certificates);
  return (index: number, place: Place): LineCollectionExemption => {
    const sellers = sellersCollectionExemption(input.collected_by, place.code, day, settings);
    // Where the seller collects from nobody, no certificate is needed.
    if (sellers !== null) return { ...noCertificate, collectionExemption: sellers };
    const buyer = findBuyer(input.line_items?.[index]?.customer ?? null, index, place);
    return { ...buyer, collectionExemption: buyer.exemption ? 'customer_exempt' : null };
  };
};
