import { isPerInvoice } from '../content/release-values.ts';
import { getOrAdd } from '../get-or-add.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Treatment } from './assessment.ts';
import type { Place, TaxDocument } from './document.ts';
import { grossUpExcise } from './general-excise.ts';
import type { TaxedProduct } from './taxed-jurisdiction.ts';
import { listTreatments } from './treatment.ts';

type Buyer = Pick<TaxedProduct, 'use' | 'collectionExemption'>;

/** The treatments of a product and its buyer, one for each jurisdiction, with flags over all of them. */
export type Treated = Buyer & {
  readonly treatments: readonly Treatment[];
  /** Whether the state requires that the tax is rounded once for the whole invoice, by a bracket table or half up. */
  readonly isOnInvoice: boolean;
  /** Whether a threshold includes the shipping. */
  readonly includesShipping: boolean;
  readonly isFee: boolean;
  /** Whether a holiday applies: the price then decides which rule does. */
  readonly isHoliday: boolean;
};

/** Finds how a place treats a product and its buyer. */
type Treatments = (place: Place, subject: Buyer & { readonly product: ProductTaxCode }) => Treated;

/**
 * A cache of the treatments of one document. Lines of one place and product share them; most documents have few of either.
 *
 * Keyed by object identity: building a text key for each line would take longer than its tax.
 */
export const treatmentCache = ({
  day,
  currency,
  passOnGeneralExcise,
}: Pick<TaxDocument, 'day' | 'currency' | 'passOnGeneralExcise'>): Treatments => {
  const places = new Map<Place, Map<ProductTaxCode, Treated[]>>();
  return (place, { product, use, collectionExemption }) => {
    const products = getOrAdd(places, place, () => new Map<ProductTaxCode, Treated[]>());
    const buyers = getOrAdd(products, product, () => []);
    for (const known of buyers)
      if (known.use === use && known.collectionExemption === collectionExemption) return known;
    const owed = listTreatments(place, { product, day, currency, use, collectionExemption });
    const treated = describe(passOnGeneralExcise ? grossUpExcise(owed) : owed, { use, collectionExemption });
    buyers.push(treated);
    return treated;
  };
};

const describe = (treatments: readonly Treatment[], { use, collectionExemption }: Buyer): Treated => {
  let [isOnInvoice, includesShipping, isFee, isHoliday] = [false, false, false, false];
  for (const treatment of treatments)
    for (let current: Treatment | undefined = treatment; current; current = current.effect.beyondLimit) {
      isOnInvoice ||= isPerInvoice(current.rounding);
      includesShipping ||= current.includesShipping;
      isFee ||= current.effect.kind === 'flat_fee';
      isHoliday ||= current.effect.kind === 'holiday';
    }
  return { use, collectionExemption, treatments, isOnInvoice, includesShipping, isFee, isHoliday };
};
