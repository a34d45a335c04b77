/** The corpus of hostile values. */

/**
 * Strings that often break parsers: numbers, inherited names, Unicode, injections, codes of this API, dates, lengths
 * and paths.
 */
export const texts: readonly string[] = [
  ...['', ' ', 'x', '0', '1', '-1', '+1', '1e5', '0x10', 'NaN', 'Infinity', 'null', 'true', 'undefined'],
  ...['[object Object]', '1.', '.5', '1,000', '1_000', '١٢', '１２', '1\n', ' 1', '0.00000000001', '9'.repeat(12)],
  ...['9'.repeat(13), '9'.repeat(400), '999999999999.9999999999', '0.0000000001', '00', '-0', '0.0', '2.5', '100.00'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length', '$ref', '#'],
  ...['a\0b', '\0', '\ud800', 'x\udfff', '\udfff\ud800', '\ufeffx', '\ufffd', '\u202eabc', '\u200b'],
  ...['e\u0301'.repeat(40), 'שלום', 'مرحبا', '税', '👍🏽', '\u0007', '\u0085', '\u2028', 'a\tb', 'a\r\nX-Evil: 1'],
  ...['<script>', "' OR 1=1 --", '{{7*7}}'],
  ...['USD', 'JPY', 'KWD', 'usd', 'MI', 'US-MI', 'CA', 'PR', 'ZZ', 'michigan', 'US', 'DE', '48933', '42223', '00000'],
  ...['48933-0001', 'OH', '43215', 'item_1', 'inv_1', 'aspen.2026-10-01', 'CLOTHING.APPAREL._ATHLETIC'],
  ...['sale', 'credit', 'draft', 'finalized', 'filed', 'void', 'business', 'marketplace', 'canceled', 'closed'],
  ...['GENERAL', 'CLOTHING', 'SOFTWARE.SAAS', 'GENERAL._ATHLETIC', 'GENERAL._', 'general', 'A'.repeat(256)],
  ...['SHIPPING.DELIVERY', 'SHIPPING.DELIVERY._SEPARATELY_STATED', '2026-10-08', '2026-10-08T12:00:00Z', '2027-01-01'],
  ...['2026-02-30', '2026-13-01', '9999-12-31', '0000-01-01', '2015-06-01', '2026-10-08T24:00:00Z'],
  ...['2026-10-08T12:00:00+02:00', '2026-10-31', '2026-09-30', '2026-10-08T12:00:00.123456789Z'],
  ...['2026-10-08T12:00:00.1234567890Z', 'now', '+12026-10-08'],
  ...['x'.repeat(255), 'x'.repeat(256), 'x'.repeat(5000), '👍'.repeat(250), '👍'.repeat(501)],
  ...['../..', '%2e%2e', '/', '\\'],
];

/** Values of other types. */
export const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 2026, 1e21, 2 ** 53, [], {}, [[]], [null], [{}], [[[[]]]], { a: 1 }],
  ...[{ 0: 'x' }, ['x'], [1, 2], { length: 1 }, { toString: 'x' }, { toJSON: 'x' }, { valueOf: null }],
  ...[{ constructor: {} }],
];

/** Field names that no schema defines, that every object inherits, or that only responses have. */
export const names: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', '', ' '],
  ...['0', '-1', 'a/b~c', '~0', '~1', 'a.b', 'a\0b', '\ud800', '\u202e', '👍', 'x'.repeat(41), 'x'.repeat(1000), 'id'],
  ...['status', 'type', 'line_items', 'customer', 'address', 'quantity', 'unit_price', 'total_amount', 'warnings'],
  ...['object', 'version', 'created_at'],
];

/** Values that only raw JSON can represent. */
export const raw: readonly string[] = [
  ...['1e400', '-1e400', '-0', '0.0', '1E5', '1e-400', '9007199254740993', '123456789012345678901234567890.5'],
  ...['"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u202e"', '{"a":1,"a":2}', '{"__proto__":{"a":1}}'],
  ...[17, 100, 2000].flatMap((depth) => [
    `${'['.repeat(depth)}1${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ]),
];

export const notJson = [
  ...['', ' ', 'null', '[]', '"x"', '0', '-0', '1e400', 'NaN', 'undefined', "{'a':1}", '{a:1}', '{"a":1,}', '/* x */'],
  ...['{', 'a=1&b=2', '\u2028', '{"a":"\\u12"}'],
];
export const contentTypes = [
  ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset=utf-16', 'application/json;'],
  ...['application/json; charset="UTF-8"', 'application/json;charset=latin1', '', 'text/plain', 'application/jsonp'],
  ...['application/vnd.api+json', 'text/json', 'multipart/form-data; boundary=x', 'json', '*/*'],
];
export const oddQueries = [
  ...['%', '%zz=%ff', '=', '&', '[]=1', 'limit[]=1', 'limit=1&limit=2', 'tax_date[gte]=x'],
  ...['+=+', '%00=%00', '#', '?x'],
];
export const oddPaths = ['/', '//', '/x', '/Transactions', '/docs/', '/openapi.json/x', '/transactions//', '/%'];
export const oddSegments = [
  '%ff',
  '%',
  '%ed%a0%80',
  '..',
  '%2e%2e',
  '',
  '{id}',
  ';x=1',
  'x'.repeat(9000),
  '%F0%9F%91%8D',
];

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };

/** A sale with most of the optional fields. */
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
