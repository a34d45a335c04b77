/** Fields by name. `true` is a field without nested fields of interest. */
export type AnswerFields = { readonly [name: string]: true | AnswerFields };

const named = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;

const charge = ['taxable_amount', 'exempt_amount', 'tax_amount', 'taxes'] as const;

/**
 * The fields that a response has besides those of its request. They may be sent back in a request (interface decisions 1).
 *
 * Plain names: building the response schemas for this alone would slow down every cold start. A test compares the two.
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
