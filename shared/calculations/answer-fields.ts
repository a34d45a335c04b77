/** Fields by name; `true` has none below it that matter. */
export type AnswerFields = { readonly [name: string]: true | AnswerFields };

const named = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;

const charge = ['taxable_amount', 'exempt_amount', 'tax_amount', 'taxes'] as const;

/**
 * What an answer has beside the fields of its request, so that it may be sent back as one (interface decisions 1).
 *
 * Plain names, because the answers' schemas would be built at every cold start for nothing else; a test compares the two.
 */
export const calculationAnswerFields = {
  ...named('object', 'subtotal_amount', 'applied_discount_amount', 'applied_third_party_discount_amount'),
  ...named('shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount', 'tax_summary'),
  ...named('content_releases', 'engine_version', 'warnings', 'explanation'),
  line_items: {
    ...named('amount', 'applied_discount_amount', 'applied_third_party_discount_amount', 'net_amount', ...charge),
    ...named('address_resolution'),
  },
  shipping: named(...charge),
} satisfies AnswerFields;
