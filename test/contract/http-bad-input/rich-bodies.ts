const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };

/** A sale with all that may be said of one. */
export const richSale = {
  currency: 'USD',
  tax_date: '2026-10-08T00:00:00Z',
  customer: {
    id: 'cus_9',
    address: { line1: '1 Main St', ...address },
    use: 'personal',
    exemption: { type: 'resale', certificate_id: 'c', regions: ['OH'], valid_from: '2026-01-01', valid_to: null },
  },
  ship_from: { address: { state: 'PA', postal_code: '17101' } },
  discount_amount: '5.00',
  third_party_discount_amount: '1.00',
  shipping: { amount: '7.95', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' },
  tax_included: false,
  collected_by: 'seller',
  type: 'sale',
  line_items: [
    {
      id: 'a',
      description: 'shoes',
      product_tax_code: 'CLOTHING.APPAREL._ATHLETIC',
      quantity: '2',
      unit_price: '50.00',
      discount_amount: '1.00',
      third_party_discount_amount: '0.50',
      customer: { address: { state: 'PA', postal_code: '19103' } },
      ship_from: null,
      metadata: { a: 'b' },
    },
    { id: 'b', product_tax_code: 'GENERAL', quantity: '2.5', unit_price: '9.99' },
    { quantity: '1', unit_price: '0.51', customer: { address: { state: 'MD' } } },
  ],
  metadata: { order: '7' },
  explain: true,
};
