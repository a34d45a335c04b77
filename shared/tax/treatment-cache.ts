import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Place, Treatment } from './document.ts';
import { type Subject, treatmentsOf } from './treatment.ts';

/** Finds how a place treats a product and its buyer. */
export type Treatments = (place: Place, subject: Omit<Subject, 'day'>) => readonly Treatment[];

type Treated = Omit<Subject, 'day' | 'product'> & { readonly treatments: readonly Treatment[] };

/**
 * Treatments of one document's day. Lines of one place and product are treated alike; most documents have few of either.
 *
 * Found by the objects themselves: a key made of their names, for each line, would take longer than its tax.
 */
export const treatmentCache = (day: string): Treatments => {
  const places = new Map<Place, Map<ProductTaxCode, Treated[]>>();
  return (place, { product, use, relief }) => {
    const products = getOrAdd(places, place, () => new Map<ProductTaxCode, Treated[]>());
    const buyers = getOrAdd(products, product, () => []);
    for (const known of buyers) if (known.use === use && known.relief === relief) return known.treatments;
    const treatments = treatmentsOf(place, { product, day, use, relief });
    buyers.push({ use, relief, treatments });
    return treatments;
  };
};

const getOrAdd = <Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
};
