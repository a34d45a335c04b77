/** Texts that often break parsers: numbers, inherited names, Unicode, injections, codes of this API, dates, lengths and paths. */
export const hostileTexts: readonly string[] = [
  ...['', ' ', 'x', '0', '1', '-1', '+1', '1e5', '0x10', 'NaN', 'Infinity', 'null', 'true', 'undefined'],
  ...['[object Object]', '1.', '.5', '1,000', '1_000', '١٢', '１２', '1\n', ' 1', '0.00000000001', '9'.repeat(12)],
  ...['9'.repeat(13), '9'.repeat(400), '999999999999.9999999999', '0.0000000001', '00', '-0', '0.0'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length', '$ref', '#'],
  ...['a\0b', '\0', '\ud800', 'x\udfff', '\udfff\ud800', '\ufeffx', '\ufffd', '\u202eabc', '\u200b'],
  ...['e\u0301'.repeat(40), 'שלום', 'مرحبا', '税', '👍🏽', '\u0007', '\u0085', '\u2028', 'a\tb', 'a\r\nX-Evil: 1'],
  ...['<script>', "' OR 1=1 --", '{{7*7}}'],
  ...['USD', 'JPY', 'KWD', 'usd', 'MI', 'US-MI', 'CA', 'PR', 'ZZ', 'michigan', 'US', 'DE', '48933', '42223', '00000'],
  ...['48933-0001'],
  ...['sale', 'credit', 'draft', 'finalized', 'filed', 'void', 'business', 'marketplace', 'canceled', 'closed'],
  ...['GENERAL', 'CLOTHING', 'SOFTWARE.SAAS', 'GENERAL._ATHLETIC', 'GENERAL._', 'general', 'A'.repeat(256)],
  ...['SHIPPING.DELIVERY'],
  ...['2026-02-30', '2026-13-01', '9999-12-31', '0000-01-01', '2015-06-01', '2026-10-08T24:00:00Z'],
  ...['2026-10-08T12:00:00+02:00', '2026-10-31', '2026-09-30', '2026-10-08T12:00:00.123456789Z'],
  ...['2026-10-08T12:00:00.1234567890Z', 'now', '+12026-10-08'],
  ...['x'.repeat(255), 'x'.repeat(256), 'x'.repeat(5000), '👍'.repeat(250), '👍'.repeat(501)],
  ...['../..', '%2e%2e', '/', '\\'],
];

/** Values of other types. */
export const hostileValues: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 2026, 1e21, 2 ** 53, [], {}, [[]], [null], [{}], [[[[]]]], { a: 1 }],
  ...[{ 0: 'x' }, ['x'], [1, 2], { length: 1 }, { toString: 'x' }, { toJSON: 'x' }, { valueOf: null }],
  ...[{ constructor: {} }],
];

/** Field names that no schema has, that every object inherits, or that only responses have. */
export const hostileNames: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', '', ' '],
  ...['0', '-1', 'a/b~c', '~0', '~1', 'a.b', 'a\0b', '\ud800', '\u202e', '👍', 'x'.repeat(41), 'x'.repeat(1000), 'id'],
  ...['status', 'type', 'line_items', 'customer', 'address', 'quantity', 'unit_price', 'total_amount', 'warnings'],
  ...['object', 'version', 'created_at'],
];
