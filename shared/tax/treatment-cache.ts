import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Subject } from './case.ts';
import type { Place, TaxDocument, Treatment } from './document.ts';
import { passOn } from './general-excise.ts';
import { treatmentsOf } from './treatment.ts';

type Buyer = Pick<Subject, 'use' | 'relief'>;

/** The treatments of a product and its buyer, one for each jurisdiction, and what they have in common. */
export type Treated = Buyer & {
  readonly treatments: readonly Treatment[];
  /** Whether a mandatory table rounds them, on the whole invoice. */
  readonly isBracketed: boolean;
  /** Whether a threshold of them counts the shipping in. */
  readonly includesShipping: boolean;
  readonly isFee: boolean;
  /** Whether the price decides which rule is the one that holds. */
  readonly isHoliday: boolean;
};

/** Finds how a place treats a product and its buyer. */
export type Treatments = (place: Place, subject: Buyer & { readonly product: ProductTaxCode }) => Treated;

/**
 * Treatments of one document's day and currency. Lines of one place and product are treated alike; most documents have
 * few of either.
 *
 * Found by the objects themselves: a key made of their names, for each line, would take longer than its tax.
 */
export const treatmentCache = ({
  day,
  currency,
  passOnGeneralExcise,
}: Pick<TaxDocument, 'day' | 'currency' | 'passOnGeneralExcise'>): Treatments => {
  const places = new Map<Place, Map<ProductTaxCode, Treated[]>>();
  return (place, { product, use, relief }) => {
    const products = getOrAdd(places, place, () => new Map<ProductTaxCode, Treated[]>());
    const buyers = getOrAdd(products, product, () => []);
    for (const known of buyers) if (known.use === use && known.relief === relief) return known;
    const owed = treatmentsOf(place, { product, day, currency, use, relief });
    const treated = describe(passOnGeneralExcise ? passOn(owed) : owed, { use, relief });
    buyers.push(treated);
    return treated;
  };
};

const describe = (treatments: readonly Treatment[], { use, relief }: Buyer): Treated => {
  let [isBracketed, includesShipping, isFee, isHoliday] = [false, false, false, false];
  for (const treatment of treatments)
    for (let current: Treatment | undefined = treatment; current; current = current.effect.beyondLimit) {
      isBracketed ||= current.rounding.method === 'bracket';
      includesShipping ||= current.includesShipping;
      isFee ||= current.effect.type === 'flat_fee';
      isHoliday ||= current.effect.type === 'holiday';
    }
  return { use, relief, treatments, isBracketed, includesShipping, isFee, isHoliday };
};

const getOrAdd = <Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
};
