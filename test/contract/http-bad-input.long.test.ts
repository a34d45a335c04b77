// @isolated: replaces the service's database.
/** Requests with invalid parts, for every documented operation, and the invariants of every response. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { notFound } from '../../infra/gateway-problems.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { refusal } from '../../infra/local/proxy-event.ts';
import { exampleFilingId, exampleId } from '../../shared/api/openapi/sample-requests.ts';
import type { Schema } from '../../shared/api/openapi/types.ts';
import { verifyAccount } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, createFiler, soldOn } from '../support/filings.ts';
import { buildEvent } from '../support/handler-calls.ts';
import { type Command, MemoryDatabase, responseFrom } from '../support/memory-database.ts';
import {
  type Body,
  describeType,
  type Operation,
  operations,
  plain,
  responseProblems,
  type WireRequest,
  type WireResponse,
} from './http-bad-input/checks.ts';

type Text = string | readonly [text: string, times: number];
type Corpus = Readonly<Record<'texts' | 'names' | 'segments', readonly Text[]>> &
  Readonly<
    Record<'numbers_and_escapes' | 'not_json' | 'content_types' | 'queries' | 'paths' | 'methods', readonly string[]>
  > & {
    readonly values: readonly unknown[];
    readonly headers: Readonly<Record<string, readonly Text[]>>;
    readonly sale: object;
  };
// Read at run time, because a bundler's parser rejects half of a surrogate pair.
const corpus: Corpus = JSON.parse(readFileSync(new URL('hostile.json', import.meta.url), 'utf8'));

/** In the corpus, `["x", 256]` is a repeated text. */
const unpack = (one: Text): string => (typeof one === 'string' ? one : one[0].repeat(one[1]));
const texts = corpus.texts.map(unpack);
const names = corpus.names.map(unpack);
const nested = [17, 100, 2000].flatMap((depth) => [
  `${'['.repeat(depth)}1${']'.repeat(depth)}`,
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
]);

/** A value as JSON text, because JSON can express more than a JavaScript value: numbers out of range and repeated names. */
const written = [
  ...[...texts, ...corpus.values].map((value) => JSON.stringify(value)),
  ...corpus.numbers_and_escapes,
  ...nested,
];

/** JSON texts at or beyond the bounds of a schema. */
const bounds = (given: Schema | undefined): string[] => {
  const schema = plain(given);
  const { minLength = 1, maxLength = 255, maxItems = 1000, minimum = 0, maximum = 100, maxProperties = 50 } = schema;
  const object = (count: number, letters = 1, length = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`.padEnd(letters, 'k'), 'v'.repeat(length)]));
  const lists: Record<string, unknown[]> = {
    object: [{ a: null }, { a: 1 }, { '': '' }, ...[maxProperties, maxProperties + 1].map((count) => object(count))],
    array: [[], [null], { 0: {}, length: 1 }, Array(maxItems + 1).fill({})],
    boolean: ['true', 0, [true]],
    integer: [minimum - 1, maximum + 1, 1.5, '1'],
  };
  const valid =
    schema.enum?.[0] ?? texts.find((text) => text && new RegExp(schema.pattern ?? '', 'u').test(text)) ?? 'x';
  const lengths = [maxLength, maxLength + 1, minLength - 1].map((length) => 'é'.repeat(Math.max(0, length)));
  const written = [...lengths, `${valid}\n`, ` ${valid}`, `${valid}\0`, [valid], { value: valid }];
  const sizes = [object(1, 40), object(1, 41), object(1, 1, 500), object(1, 1, 501)];
  const type = describeType(schema);
  return (lists[type] ?? written).concat(type === 'object' ? sizes : []).map((value) => JSON.stringify(value));
};

/** A place in a body that has, or could have, a value. */
type Place = { readonly path: readonly string[]; readonly schema: Schema | undefined; readonly isLeaf: boolean };
const listPlaces = (value: unknown, given: Schema | undefined, path: readonly string[] = []): Place[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, items } = plain(given);
  const fields = Array.isArray(value) ? {} : properties;
  return [...new Set([...Object.keys(value), ...Object.keys(fields)])].flatMap((name) => {
    const schema = Array.isArray(value) ? items : fields[name];
    const inner = listPlaces((value as Record<string, unknown>)[name], schema, [...path, name]);
    return [{ path: [...path, name], schema, isLeaf: inner.length === 0 }, ...inner];
  });
};

/** Returns the JSON of a body with other JSON at some places; `null` removes a field. */
const withJson = (body: unknown, changes: readonly (readonly [Place, string | null])[]): string => {
  const changed = structuredClone(body);
  for (const [at, [{ path }, json]] of changes.entries()) {
    const holder = path.slice(0, -1).reduce((inner, name) => inner[name], changed as any);
    holder[path.at(-1) ?? ''] = json === null ? undefined : `\u2063${at}`;
  }
  return JSON.stringify(changed).replaceAll(/"\u2063(\d+)"/g, (_, at) => changes[at]?.[1] ?? '');
};

/** Returns some of the values; the next call returns further values. */
const rotated = <Value>(values: readonly Value[]) => {
  let at = 0;
  return (count: number): Value[] => Array.from({ length: count }, () => values[at++ % values.length] as Value);
};
const nextJson = rotated(written);
const nextText = rotated(texts);
const nextName = rotated(names);
/** The number of values in each place. */
const share = 8;

function* badBodies(bodies: readonly object[], schema: Schema): Generator<string> {
  for (const body of bodies) {
    yield JSON.stringify(body);
    const places = listPlaces(body, schema);
    for (const place of places)
      for (const json of [null, 'null', ...bounds(place.schema), ...nextJson(share)])
        yield withJson(body, [[place, json]]);
    const leaves = places.filter(({ isLeaf }) => isLeaf);
    for (let round = 0; round < share; round++)
      yield withJson(
        body,
        nextJson(leaves.length).map((json, at) => [leaves[at] as Place, json]),
      );
    for (const name of [...nextName(9 * share), ...Object.keys(body)])
      yield `{${JSON.stringify(name)}:${nextJson(1)},${JSON.stringify(body).slice(1)}`;
  }
}

/** Ways to corrupt a serialized body. */
const damaged = (text: string): Buffer[] => {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  const inserted = (...middle: number[]) =>
    Buffer.concat([bytes.subarray(0, half), Buffer.from(middle), bytes.subarray(half)]);
  return [
    bytes.subarray(0, half),
    ...[0xff, 0xc0, 0x80, 0xf5, 0, 7, 0x22, 0x7b, 0x2c, 0x7d, 0x5c].map((byte) => inserted(byte)),
    inserted(0xed, 0xa0, 0x80),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    ...[Buffer.from(text, 'utf16le'), gzipSync(bytes)],
    ...['x', text, '{}', ']', '\n', ' '.repeat(1024 * 1024)].map((end) => Buffer.from(text + end)),
    ...[...corpus.not_json, ...[10, 1000, 10_000].map((depth) => '['.repeat(depth))].map((one) => Buffer.from(one)),
  ];
};

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
const hostileHeaders = Object.entries<readonly Text[]>({
  ...corpus.headers,
  'Content-Type': corpus.content_types,
  Range: texts.filter((text) => /^[\x20-\x7e\xa0-\xff]*$/.test(text)),
}).flatMap(([name, values]) => values.map((value) => [name, unpack(value)] as const));

/** Generates requests to an operation, each with one invalid part. `ids` are the ids in paths and bodies. */
function* badRequests(operation: Operation, ids: () => string, own: (text: string) => string, apiKey: string) {
  const { name, method, path, body: media, parameters } = operation;
  const at = (segment: string) => path.replace('{id}', () => segment);
  const isSale = /\/(Transaction|Calculation)Request$/.test(media?.schema.$ref ?? '');
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => JSON.parse(own(JSON.stringify(value))));
  const sale = { ...corpus.sale, status: 'finalized' };
  const bodies: object[] = [...(isSale ? [sale] : []), ...examples];
  const valid = media ? JSON.stringify(bodies[0]) : '';
  const headers: (readonly [string, string])[] = [['X-API-Key', apiKey]];
  if (media) headers.push(['Content-Type', 'application/json']);
  const strict = [...headers, ['Prefer', 'handling=strict'] as const];
  const request = (change: Partial<WireRequest & { readonly text: string }> = {}): WireRequest => {
    const { text = valid, ...rest } = change;
    return { method, target: at(ids()), headers, body: Buffer.from(text), ...rest };
  };
  if (media) for (const text of badBodies(bodies, media.schema)) yield request({ text });
  if (media)
    for (const name of nextName(3 * share)) yield request({ text: `{${JSON.stringify(name)}:1}`, headers: strict });
  for (const body of damaged(valid || '{"a":1}')) yield request({ body });
  const query = parameters.filter((one) => one.in === 'query');
  const pairs = query.flatMap(({ name, schema }) =>
    [...bounds(schema).map((json) => JSON.parse(json)), ...nextText(2 * share)].map(
      (value) => `${name}=${encoded(typeof value === 'string' ? value : JSON.stringify(value))}`,
    ),
  );
  const many = Array(60).fill('a=1').join('&');
  const unknown = [...nextName(3 * share).map((name) => `${encoded(name)}=1`), ...corpus.queries, many];
  const twice = query.map(({ name }) => `${name}=1&${name}=1`);
  for (const pair of [...pairs, ...unknown, ...twice]) yield request({ target: `${at(ids())}?${pair}` });
  if (path.includes('{id}'))
    for (const segment of [...corpus.segments.map(unpack), ...nextText(5 * share).map(encoded), `${ids()}%2Fhistory`])
      yield request({ target: at(segment) });
  if (media) for (const other of corpus.methods) yield request({ method: other });
  if (name === 'get-transaction') for (const target of corpus.paths) yield request({ target });
  for (const [name, value] of hostileHeaders) {
    const others = headers.filter((one) => one[0].toLowerCase() !== name.toLowerCase());
    yield request({ headers: [...others, [name, value]] });
    if (value !== '') yield request({ headers: [...headers, [name, value]] });
  }
  yield request({ headers: [] });
}

const isWrite = ({ constructor: { name }, input }: Command): boolean =>
  /^(Put|Update|Delete|TransactWrite)Command$/.test(name) &&
  JSON.stringify(input).includes(`"${environment.tables.transactions}"`);

const database = new MemoryDatabase();
let writes = 0;

/** Calls a function as API Gateway does. Returns the response and the operation for the path and method. */
const send = async ({ method, target, headers, body }: WireRequest) => {
  const before = writes;
  const built = buildEvent(method, target, headers.flat(), body);
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  const result = built
    ? await handlers.endpoints[built.operation ?? 'method-not-allowed'](built.event, context)
    : refusal(notFound, 'request_1');
  const answered = new Headers(Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]));
  const isJson = answered.get('Content-Type')?.startsWith('application/json') === true;
  const response: WireResponse = {
    status: result.statusCode,
    headers: answered,
    text: result.body,
    writes: writes - before,
    body: result.body === '' ? null : isJson ? JSON.parse(result.body) : result.body,
    path: built?.event.path ?? '/',
  };
  return { response, operation: operations.find(({ name }) => name === built?.operation) ?? null };
};

const inherited = () =>
  [Object.prototype, Array.prototype, String.prototype].flatMap((one) => Object.getOwnPropertyNames(one)).join();

/** Creates an account with a sale, a draft, a filing and a customer. Returns its key, and ids for paths and bodies. */
const newAccount = async ({ path }: Operation) => {
  const scopes = ['read', 'write', 'settings'] as const;
  const { account, key, call } = await newCaller({ scopes, settings: { rate_limit: 1_000_000 } });
  const filer = createFiler({ call });
  const sold = await soldOn(filer, '2026-09-08');
  const { id: filing } = await closedFiling(filer, 'MI', '2026-09-30');
  const { id: draft } = (await call('POST', '/transactions', { body: corpus.sale })).body;
  await call('POST', '/customers', { body: { id: 'cus_9' } });
  const ofFilings = path.startsWith('/filings') ? [filing, exampleFilingId] : [draft, sold.id, exampleId];
  const next = rotated(path.startsWith('/customers') ? ['cus_9'] : ofFilings);
  const own = (text: string) => text.replaceAll(exampleId, sold.id).replaceAll(exampleFilingId, filing);
  return { account, key, own, nextId: () => next(1)[0] as string };
};

const shown = ({ method, target, headers, body }: WireRequest): string => {
  const lines = headers.map(([name, value]) => (/^x-api-key$/i.test(name) ? name : `${name}: ${value.slice(0, 300)}`));
  return [`${method} ${target.slice(0, 500)}`, ...lines, JSON.stringify(body.toString().slice(0, 3000))].join('\n');
};

it('returns a documented response for every invalid request, and writes nothing', {
  timeout: 600_000,
}, async () => {
  const stop = responseFrom(async (command) => {
    const response = await database.send(command);
    if (isWrite(command)) writes++;
    return response;
  });
  const codes = new Set<string>();
  const reports: string[] = [];
  const before = inherited();
  try {
    for (const operation of operations) {
      const { account, key, own, nextId } = await newAccount(operation);
      for (const request of badRequests(operation, nextId, own, key)) {
        const { response, operation: found } = await send(request).catch((error: unknown) => {
          throw new Error(shown(request), { cause: error });
        });
        const problems = responseProblems(request, response, found);
        if (response.text.includes(key)) problems.push('it quotes the key');
        if (inherited() !== before) problems.push('a prototype was changed');
        if (problems.length > 0) reports.push([...problems, shown(request), response.text.slice(0, 1500)].join('\n'));
        for (const { code } of (response.body as Body)?.errors ?? []) codes.add(code);
      }
      await verifyAccount({
        account: account.id,
        pauseMs: 0,
        onFinding: (finding) => void reports.push(`The ledger: ${JSON.stringify(finding)}`),
      });
    }
  } finally {
    stop();
  }
  expect(reports.slice(0, 12).join('\n\n')).toBe('');
  // The requests get past the first check.
  expect(codes.size).toBeGreaterThan(20);
});
