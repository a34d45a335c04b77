/** Random requests to the documented operations, each with at most one invalid part. A seed makes them reproducible. */

import { gzipSync } from 'node:zlib';
import { endpoints } from '../../../functions/endpoints.ts';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { exampleFilingId, exampleId } from '../../../shared/api/openapi/sample-requests.ts';
import document from '../../../shared/api/openapi.json' with { type: 'json' };
import type { Random } from '../../support/seeded.ts';
import { resolve } from '../validate-response.ts';

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

const notJson = [
  ...['', ' ', 'null', '[]', '"x"', '0', '-0', '1e400', 'NaN', 'undefined', "{'a':1}", '{a:1}', '{"a":1,}', '/* x */'],
  ...['{', 'a=1&b=2', '\u2028', '{"a":"\\u12"}'],
];
const contentTypes = [
  ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset=utf-16', 'application/json;'],
  ...['application/json; charset="UTF-8"', 'application/json;charset=latin1', '', 'text/plain', 'application/jsonp'],
  ...['application/vnd.api+json', 'text/json', 'multipart/form-data; boundary=x', 'json', '*/*'],
];
const oddQueries = [
  ...['%', '%zz=%ff', '=', '&', '[]=1', 'limit[]=1', 'limit=1&limit=2', 'tax_date[gte]=x'],
  ...['+=+', '%00=%00', '#', '?x'],
];
const oddPaths = ['/', '//', '/x', '/Transactions', '/docs/', '/openapi.json/x', '/transactions//', '/%'];
const oddSegments = ['%ff', '%', '%ed%a0%80', '..', '%2e%2e', '', '{id}', ';x=1', 'x'.repeat(9000), '%F0%9F%91%8D'];

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };

/** A sale with most of the optional fields. */
const richSale = {
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

/** A schema of the document, with its bounds. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};
type Parameter = { readonly name: string; readonly in: 'query' | 'header' | 'path'; readonly schema: Schema };
type Media = { readonly schema: Schema; readonly examples?: Record<string, { value: unknown }> };
type Described = {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Record<string, Media> };
};

const paths = document.paths as unknown as Record<string, Record<string, Described>>;

/** Every documented endpoint. */
export const operations = Object.values<Endpoint>(endpoints).map(({ name, method, path, scope }) => {
  const { parameters = [], requestBody }: Described = paths[path]?.[method.toLowerCase()] ?? {};
  return {
    name,
    method,
    path,
    scope,
    body: requestBody?.content['application/json'],
    parameters: parameters.map((one): Parameter => ('$ref' in one ? resolve(one.$ref) : one)),
  };
});
export type Operation = (typeof operations)[number];

/** A request as sent over HTTP; `target` includes the query. */
export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
};

/** Resolves a schema's reference and removes `null`. */
export const plain = (schema: Schema = {}): Schema => {
  const inner = schema.$ref ? resolve<Schema>(schema.$ref) : schema.anyOf?.find(({ type }) => type !== 'null');
  return inner ? plain(inner) : schema;
};

const typeOf = ({ type, properties, items }: Schema): string =>
  [type].flat().find((one) => one && one !== 'null') ?? (properties ? 'object' : items ? 'array' : 'any');

const fittingTexts = new Map<string, readonly string[]>();
const listTexts = (pattern: string): readonly string[] => {
  const known = fittingTexts.get(pattern) ?? texts.filter((text) => new RegExp(pattern, 'u').test(text));
  fittingTexts.set(pattern, known);
  return known;
};

/** Generates a small value that mostly matches a schema, with some optional fields. */
const validValue = (given: Schema | undefined, random: Random, depth = 1): unknown => {
  const schema = plain(given);
  const { properties = {}, required = [], items, pattern = '' } = schema;
  const type = typeOf(schema);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer') return 1;
  if (type === 'array') return Array.from({ length: 1 + random.below(3) }, () => validValue(items, random, depth + 1));
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random.chance(0.5 / depth))
        .map(([name, field]) => [name, validValue(field, random, depth + 1)]),
    );
  const fitting = pattern === '' ? [] : listTexts(pattern);
  return random.pick(schema.enum ?? (fitting.length > 0 ? fitting : ['1', 'x', '2026-10-08', 'MI']));
};

/** Generates a value at or beyond one of a schema's bounds. */
const valueAround = (given: Schema | undefined, random: Random): unknown => {
  const schema = plain(given);
  const { minLength = 1, maxLength = 255, minItems = 0, maxItems = 1000, minimum = 0, maximum = 100 } = schema;
  const { maxProperties = 50, items } = schema;
  const lists = (count: number) => Array(Math.min(count, 50_000)).fill(validValue(items, random));
  const object = (count: number, letters = 1, length = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`.padEnd(letters, 'k'), 'v'.repeat(length)]));
  switch (typeOf(schema)) {
    case 'object':
      return random.pick([
        ...[{ a: null }, { a: 1 }, { a: { b: 'c' } }, { '': '' }, object(maxProperties), object(maxProperties + 1)],
        ...[object(1, 40), object(1, 41), object(1, 1, 500), object(1, 1, 501)],
      ]);
    case 'array':
      // Long lists are slow to validate, so they are rare.
      if (random.chance(0.02)) return lists(random.pick([maxItems, maxItems + 1, maxItems * 20]));
      return random.pick([[], lists(minItems), [null], { 0: {}, length: 1 }, lists(3)]);
    case 'boolean':
      return random.pick([true, false, 'true', 0, 1, '', [true]]);
    case 'integer':
      return random.pick([minimum, minimum - 1, maximum, maximum + 1, 1.5, '1']);
  }
  const letter = random.pick(['x', 'A', '1', 'é', '👍', '\u202e']);
  const valid = String(validValue(schema, random));
  return random.pick<unknown>([
    ...[maxLength, maxLength + 1, Math.max(0, minLength - 1)].map((length) => letter.repeat(length)),
    ...[valid, `${valid}\n`, ` ${valid}`, `${valid}\0`, valid.toLowerCase(), valid.toUpperCase(), valid.slice(0, -1)],
    ...[[valid], { value: valid }, Number(valid) || 0],
  ]);
};

const hostile = (random: Random): unknown => structuredClone(random.pick(random.chance(0.6) ? texts : values));

type Container = Record<string, unknown>;
/** A place in a body that has, or could have, a value. */
type Slot = { readonly holder: Container; readonly name: string; readonly schema: Schema | undefined };

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

const listSlots = (holder: unknown, given: Schema | undefined): Slot[] => {
  if (!isContainer(holder)) return [];
  const { properties = {}, items } = plain(given);
  const known = Array.isArray(holder) ? [] : Object.keys(properties);
  return [...new Set([...Object.keys(holder), ...known])].slice(0, 60).flatMap((name) => {
    const schema = Array.isArray(holder) ? items : properties[name];
    return [{ holder, name, schema }, ...listSlots(Object.hasOwn(holder, name) ? holder[name] : null, schema)];
  });
};

// Not an assignment, because `__proto__` is an ordinary name here.
const put = (holder: Container, name: string, value: unknown): void =>
  void Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });

/** Placeholder for JSON that `JSON.stringify` cannot write, such as a number out of range or deep nesting. */
const rawMark = '\u2063raw';

/** Changes one place of a body, usually in a way that its schema restricts. */
const mutate = (body: Container, schema: Schema, random: Random): void => {
  const slots = listSlots(body, schema);
  const slot = slots.length > 0 ? random.pick(slots) : { holder: body, name: 'a', schema: {} };
  const { holder, name } = slot;
  const around = () => put(holder, name, valueAround(slot.schema, random));
  const replaced = () => put(holder, name, hostile(random));
  random.pick([
    ...[around, around, around, replaced, replaced],
    () => put(holder, name, validValue(slot.schema, random)),
    () => put(holder, name, random.pick([null, rawMark])),
    () => void (Array.isArray(holder) ? holder.splice(Number(name), 1) : Reflect.deleteProperty(holder, name)),
    () =>
      Array.isArray(holder) ? void holder.push(hostile(random)) : put(holder, random.pick(names), hostile(random)),
  ])();
};

/** Serializes a body as JSON. Some objects repeat a name. */
const jsonText = (body: unknown, random: Random): string => {
  const text = JSON.stringify(body).replace(`"${rawMark}"`, () => random.pick(raw));
  if (!random.chance(0.03)) return text;
  const pair = `"${random.pick(['__proto__', ...Object.keys(body as object)])}":${JSON.stringify(hostile(random))}`;
  return random.chance(0.5) ? text.replace('{', `{${pair},`) : text.replace(/\}$/, `,${pair}}`);
};

/** Ways to corrupt a serialized body. */
const damaged = (text: string, random: Random): Buffer => {
  const bytes = Buffer.from(text);
  const at = random.below(bytes.length + 1);
  const inserted = (...middle: number[]) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at)]);
  const long = random.chance(0.1) ? 1024 * 1024 : 10;
  return random.pick([
    () => bytes.subarray(0, at),
    () => inserted(random.pick([0xff, 0xc0, 0x80, 0xf5, 0, 7, 0x22, 0x7b, 0x2c, 0x7d, 0x5c])),
    () => inserted(0xed, 0xa0, 0x80),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.from(text, 'utf16le'),
    () => gzipSync(bytes),
    () => Buffer.from(`${text}${random.pick(['x', text, '{}', ']', '\n', ' \t\r\n'])}`),
    () => Buffer.from(random.pick(notJson)),
    () => Buffer.from('['.repeat(random.pick([10, 1000, 10_000]))),
    () => Buffer.from(`${text}${' '.repeat(long)}`),
  ])();
};

const encoded = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());

/** Ids, cursors and ETags of earlier responses, reused by later requests. */
export class Known {
  readonly #found = { txn: [exampleId], fil: [exampleFilingId], cursor: ['2'], tag: ['"1"', '"2"', '*'] };

  note({ text, headers }: { readonly text: string; readonly headers: Headers }): void {
    const of = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
    this.#add('txn', of(/"(txn_\w{26})"/g));
    this.#add('fil', of(/"(fil_\w{26})"/g));
    this.#add('cursor', of(/"next_cursor":"([^"]+)"/g));
    this.#add('tag', [headers.get('ETag') ?? '*']);
  }
  #add(kind: 'txn' | 'fil' | 'cursor' | 'tag', found: readonly string[]): void {
    for (const one of found) if (!this.#found[kind].includes(one)) this.#found[kind].push(one);
  }
  pick = (kind: 'txn' | 'fil' | 'cursor' | 'tag', random: Random): string => random.pick(this.#found[kind]);
}

const getPath = ({ path }: Operation, known: Known, isHostile: boolean, random: Random): string => {
  const id = known.pick(path.startsWith('/filings') ? 'fil' : 'txn', random);
  if (isHostile && random.chance(0.1)) return random.pick(oddPaths);
  const other = random.pick([
    ...[encoded(random.pick(texts)), known.pick('fil', random), known.pick('txn', random), id.toLowerCase()],
    ...[`%20${id}`, `${id}x`, `${id}%00`, `${id}%2Fhistory`, `${id}/x`, ...oddSegments],
  ]);
  return path.replace('{id}', () => (isHostile ? other : id));
};

/** Generates query parameters, documented or not. */
const getQuery = ({ parameters }: Operation, known: Known, isHostile: boolean, random: Random): string[] => {
  const own = parameters.filter((one) => one.in === 'query');
  const pairs = own
    .filter(() => random.chance(1 / (own.length + 1)))
    .map(({ name, schema }) => {
      const value = isHostile ? valueAround(schema, random) : validValue(schema, random);
      const isCursor = name === 'starting_after' && random.chance(0.7);
      return `${encoded(name)}=${encoded(isCursor ? known.pick('cursor', random) : value)}`;
    });
  if (!isHostile) return pairs;
  const name = () => random.pick([...own.map(({ name }) => name), random.pick(names)]);
  const extra = () =>
    random.pick([`${encoded(name())}=${encoded(random.pick(texts))}`, pairs[0] ?? 'x', random.pick(oddQueries)]);
  return [...pairs, ...Array.from({ length: random.chance(0.03) ? 60 : random.below(3) }, extra)];
};

/** Generates a header that is invalid or does not belong to the request. */
const hostileHeader = ({ parameters }: Operation, known: Known, random: Random): [string, string] => {
  const text = random.pick(texts.filter((one) => /^[\x20-\x7e\xa0-\xff]*$/.test(one)));
  const tag = known.pick('tag', random);
  const [name, choices] = random.pick<[string, string[]]>([
    ['Content-Type', contentTypes],
    [random.pick(['Content-Encoding', 'Transfer-Encoding']), ['gzip', 'br', 'identity', 'identity, gzip', 'x']],
    ['Accept', ['text/csv', 'text/html', '*/*;q=0', 'application/json;q=2', ',,;', text]],
    ['Prefer', ['handling=strict', 'handling=lenient', 'handling="strict"', 'respond-async', text]],
    ['If-Match', [tag, `W/${tag}`, '"', `${tag},"x"`, text]],
    ['If-None-Match', [tag, '*', '"', text]],
    ['Idempotency-Key', ['a', 'b', 'k'.repeat(255), 'k'.repeat(256), '', ' ', 'é', text]],
    ['Service-Version', ['aspen.2026-10-01', 'aspen.2026-10-02', 'ASPEN.2026-10-01', '', text]],
    [random.pick(['X-API-Key', 'x-api-key', 'Authorization']), ['', 'Bearer x', 'Bearer a.b.c', 'Basic eA==', text]],
    [random.pick(['__proto__', 'constructor', 'X-HTTP-Method-Override', 'X-Forwarded-Host', 'Host', 'Range']), [text]],
    [random.pick([...parameters.filter((one) => one.in === 'header').map((one) => one.name), 'Cookie']), [text]],
  ]);
  return [name, random.pick(choices)];
};

const getHeaders = (operation: Operation, known: Known, apiKey: string, isHostile: boolean, random: Random) => {
  const headers: [string, string][] = [['X-API-Key', apiKey]];
  if (operation.body) headers.push(['Content-Type', 'application/json']);
  if (operation.scope === 'write' && random.chance(0.15))
    headers.push(['Idempotency-Key', random.pick([...'abcdefgh'])]);
  if (random.chance(0.1)) headers.push(['Prefer', 'handling=strict']);
  if (!isHostile) return headers;
  const hostile = hostileHeader(operation, known, random);
  const others = headers.filter(([name]) => name.toLowerCase() !== hostile[0].toLowerCase());
  // Replaces the header of this name, adds a second one, or removes it.
  return random.pick([[...others, hostile], [...others, hostile], [...headers, hostile], others]);
};

const getBody = ({ body, scope }: Operation, known: Known, random: Random): Container => {
  const isSale = /\/(Transaction|Calculation)Request$/.test(body?.schema.$ref ?? '');
  const rich = { ...richSale, ...(scope === 'write' && { status: random.pick(['draft', 'finalized']) }) };
  const examples = Object.values(body?.examples ?? {}).map(({ value }) => value);
  const chosen = random.chance(0.2)
    ? validValue(body?.schema, random)
    : random.pick([...examples, isSale ? rich : examples[0]]);
  const text = JSON.stringify(chosen).replaceAll(exampleId, known.pick('txn', random));
  return JSON.parse(text.replaceAll(exampleFilingId, known.pick('fil', random)));
};

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'get', 'PROPFIND'];

/** Generates a request to an operation with one part that is usually invalid. */
export const buildRequest = (operation: Operation, known: Known, apiKey: string, random: Random): WireRequest => {
  const { body: media, path } = operation;
  const part = random.pick([
    ...['headers', 'headers', 'nothing', path.includes('{') ? 'path' : 'method'],
    ...(media ? [...Array<string>(12).fill('body'), 'bytes', 'query'] : ['query', 'query', 'query', 'query', 'bytes']),
  ]);
  const body = media && getBody(operation, known, random);
  if (media && body && part === 'body')
    for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) mutate(body, media.schema, random);
  const text = body ? jsonText(body, random) : part === 'bytes' ? '{"a":1}' : '';
  const pairs = media && part !== 'query' ? [] : getQuery(operation, known, part === 'query', random);
  return {
    method: part === 'method' ? random.pick(methods) : operation.method,
    target: [getPath(operation, known, part === 'path', random), ...(pairs.length > 0 ? [pairs.join('&')] : [])].join(
      '?',
    ),
    headers: getHeaders(operation, known, apiKey, part === 'headers', random),
    body: part === 'bytes' ? damaged(text, random) : Buffer.from(text),
  };
};
