/** How a state treats a kind of goods, in a word. */
export const treatments = [
  'taxable',
  'exempt',
  'reduced_rate',
  'higher_rate',
  'threshold',
  'capped',
  'part_of_price',
  'by_use',
  'by_level',
  'by_product',
  'follows_goods',
  'any_taxable',
  'exempt_if_stated',
  'exempt_unless_included',
  'taxable_unless_avoidable',
  'not_subject_to_tax',
  'not_established',
] as const;
export type TreatmentName = (typeof treatments)[number];
