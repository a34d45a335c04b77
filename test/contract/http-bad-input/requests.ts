import { gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';
import { hostileHeader } from './hostile-headers.ts';
import { jsonText } from './json-text.ts';
import type { Known } from './known.ts';
import { mutateBody } from './mutate-body.ts';
import type { DocumentedOperation } from './operations.ts';
import { validValue } from './schema-values.ts';
import { hostilePath, queryOf } from './targets.ts';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');

const notJson = [
  ...['', ' ', 'null', '[]', '"x"', '0', '-0', '1e400', 'NaN', 'undefined', "{'a':1}", '{a:1}', '{"a":1,}'],
  ...['{', 'a=1&b=2'],
];

/** What may become of a text on its way, and what was no JSON from the beginning. */
export const damaged = (text: string, chance: Chance): Buffer => {
  const bytes = bytesOf(text);
  const at = chance.below(bytes.length + 1);
  const around = (middle: string | Buffer) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle as string), bytes.subarray(at)]);
  return chance.pick<() => Buffer>([
    () => bytes.subarray(0, at),
    () => around(Buffer.from([chance.pick([0xff, 0xc0, 0x80, 0xed, 0xf5])])),
    () => around(Buffer.from([0xed, 0xa0, 0x80])),
    () => around(chance.pick(['\0', '\u0007', '"', '{', ',', '}', '\u2028', '/* x */', '\\', '\\u12'])),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.from(text, 'utf16le'),
    () => gzipSync(bytes),
    () => bytesOf(`${text}${chance.pick(['x', text, '{}', ']', '\n', ' \t\r\n'])}`),
    () => bytesOf(chance.pick(notJson)),
    () => bytesOf('['.repeat(chance.pick([10, 1000, 10_000]))),
    () => (chance.is(0.05) ? bytesOf(`${text}${' '.repeat(1024 * 1024)}`) : bytesOf(text.replaceAll('"', '\\"'))),
  ])();
};

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

/** A request as it comes over the wire. */
export type WireRequest = {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
};

const bodyOf = (operation: DocumentedOperation, known: Known, chance: Chance): unknown => {
  if (!operation.body) return null;
  const { schema, examples } = operation.body;
  const isSale = schema.$ref?.endsWith('/TransactionRequest') || schema.$ref?.endsWith('/CalculationRequest');
  const body = chance.weighted<() => unknown>([
    [5, () => chance.pick(examples)],
    [
      isSale ? 5 : 0,
      () => ({ ...richSale, ...(operation.scope === 'write' && { status: chance.pick(['draft', 'finalized']) }) }),
    ],
    [2, () => validValue(schema, chance)],
  ])();
  return JSON.parse(known.inPlaceOfExamples(JSON.stringify(body), chance));
};

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'get', 'PROPFIND'];

type Part = 'nothing' | 'body' | 'bytes' | 'query' | 'headers' | 'path' | 'method';

const partsOf = ({ body, path }: DocumentedOperation): readonly (readonly [number, Part])[] => [
  [1, 'nothing'],
  [body ? 12 : 0, 'body'],
  [body ? 1.5 : 0.3, 'bytes'],
  [body ? 1 : 6, 'query'],
  [2, 'headers'],
  [path.includes('{') ? 2 : 0.3, 'path'],
  [0.2, 'method'],
];

type Headers = WireRequest['headers'];

const headersOf = (operation: DocumentedOperation, apiKey: string, chance: Chance): Headers => {
  const headers: [string, string][] = [['X-API-Key', apiKey]];
  if (operation.body) headers.push(['Content-Type', 'application/json']);
  if (operation.scope === 'write' && chance.is(0.15)) headers.push(['Idempotency-Key', chance.pick([...'abcdefgh'])]);
  if (chance.is(0.1)) headers.push(['Prefer', 'handling=strict']);
  return headers;
};

// In the place of a good one, beside it, or as nothing at all.
const withHostile = (headers: Headers, hostile: readonly [string, string], chance: Chance): Headers => {
  const others = headers.filter(([name]) => name.toLowerCase() !== hostile[0].toLowerCase());
  return chance.weighted([
    [6, [...others, hostile]],
    [3, [...headers, hostile]],
    [1, others],
  ]);
};

/** A valid request of an operation with one part that is usually invalid. */
export const requestOf = (
  operation: DocumentedOperation,
  known: Known,
  apiKey: string,
  chance: Chance,
): WireRequest => {
  const part = chance.weighted(partsOf(operation));
  const body = bodyOf(operation, known, chance);
  if (part === 'body' && operation.body) mutateBody(body, operation.body.schema, chance);
  const text = body === null ? (part === 'bytes' ? '{"a":1}' : '') : jsonText(body);
  const pairs = operation.body && part !== 'query' ? [] : queryOf(operation, known, chance, part === 'query');
  const path =
    part === 'path'
      ? hostilePath(operation, known, chance)
      : operation.path.replace('{id}', () => known.idFor(operation.path, chance));
  const headers = headersOf(operation, apiKey, chance);
  return {
    method: part === 'method' ? chance.pick(methods) : operation.method,
    target: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path,
    headers: part === 'headers' ? withHostile(headers, hostileHeader(operation, known, chance), chance) : headers,
    body: part === 'bytes' ? damaged(text, chance) : Buffer.from(text, 'utf8'),
  };
};
