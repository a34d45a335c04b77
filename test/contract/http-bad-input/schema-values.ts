import { resolve } from '../validate-response.ts';
import type { Chance } from './chance.ts';
import { hostileTexts, hostileValues } from './hostile.ts';
import { verbatims } from './json-text.ts';

/** A schema of the document, with the keywords that bound a value. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** A schema after its reference is resolved, without `null`. */
export const plain = (schema: Schema | undefined): Schema => {
  if (!schema) return {};
  if (schema.$ref) return plain(resolve(schema.$ref));
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  return other ? plain(other) : schema;
};

const typeIn = ({ type, properties, items }: Schema): string =>
  [type].flat().find((one) => one !== undefined && one !== 'null') ?? (properties ? 'object' : items ? 'array' : 'any');

const samples = [
  ...['USD', '2026-10-08', '2026-10-08T12:00:00Z', '1', '2.5', '100.00', '0', 'GENERAL', 'CLOTHING.APPAREL._ATHLETIC'],
  'MI',
  'OH',
  '48933',
  '43215',
  'US',
  'item_1',
  'inv_1',
  'aspen.2026-10-01',
  'SHIPPING.DELIVERY._SEPARATELY_STATED',
];
const patterns = new Map<string, RegExp>();
const expressionOf = (pattern: string): RegExp => {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
};

const validText = (schema: Schema, chance: Chance): unknown => {
  if (schema.enum) return chance.pick(schema.enum);
  const fitting = samples.filter((text) => !schema.pattern || expressionOf(schema.pattern).test(text));
  if (schema.format === 'date') return chance.pick(['2026-09-30', '2026-10-31', '2027-01-01']);
  return chance.pick(fitting.length > 0 ? fitting : ['x']);
};

/** A value that a schema allows, more or less: small, and with some of the fields that may be left out. */
export const validValue = (given: Schema, chance: Chance, depth = 0): unknown => {
  const schema = plain(given);
  switch (typeIn(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || chance.is(0.5 / (depth + 1)))
          .map(([name, field]) => [name, validValue(field, chance, depth + 1)]),
      );
    case 'array':
      return Array.from({ length: 1 + chance.below(3) }, () => validValue(schema.items ?? {}, chance, depth + 1));
    case 'boolean':
      return chance.is(0.5);
    case 'integer':
      return 1;
    default:
      return validText(schema, chance);
  }
};

const textsAround = (schema: Schema, chance: Chance): unknown => {
  const { minLength = 1, maxLength = 255 } = schema;
  const letter = chance.pick(['x', 'A', '1', 'é', '👍', '\u202e']);
  const valid = String(validText(schema, chance));
  return chance.pick<unknown>([
    letter.repeat(maxLength),
    letter.repeat(maxLength + 1),
    letter.repeat(Math.max(0, minLength - 1)),
    ...[valid, `${valid}\n`, ` ${valid}`, `${valid}\0`, valid.toLowerCase(), valid.toUpperCase(), valid.slice(0, -1)],
    ...[[valid], { value: valid }, Number(valid) || 0, null],
  ]);
};

const rowsMax = 50_000;
const rows = (count: number, schema: Schema, chance: Chance) =>
  Array(Math.min(count, rowsMax)).fill(validValue(schema, chance));

const listsAround = ({ minItems = 0, maxItems = 1000, items = {} }: Schema, chance: Chance): unknown =>
  // The long ones are slow in every variant.
  chance.is(0.02)
    ? rows(chance.pick([maxItems, maxItems + 1, maxItems * 20]), items, chance)
    : chance.pick<unknown>([
        [],
        rows(minItems, items, chance),
        [null],
        {},
        { 0: {}, length: 1 },
        'x',
        null,
        rows(3, items, chance),
      ]);

const named = (count: number, name: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), 'v']));

const objectsAround = ({ maxProperties = 50 }: Schema, chance: Chance): unknown =>
  chance.pick<unknown>([
    ...[{}, [], null, 'x', [{}], { '': '' }, { a: null }, { a: 1 }, { a: { b: 'c' } }],
    ...[maxProperties, maxProperties + 1].map((count) => named(count, (at) => `k${at}`)),
    ...[40, 41].map((length) => named(1, () => 'n'.repeat(length))),
    ...[500, 501].map((length) => ({ a: 'v'.repeat(length) })),
  ]);

/** A value at, or beyond, one of the bounds that a schema has. */
export const valueAround = (given: Schema, chance: Chance): unknown => {
  const schema = plain(given);
  switch (typeIn(schema)) {
    case 'object':
      return objectsAround(schema, chance);
    case 'array':
      return listsAround(schema, chance);
    case 'boolean':
      return chance.pick<unknown>([true, false, null, 'true', 'false', 0, 1, '', [true]]);
    case 'integer': {
      const { minimum = 0, maximum = 100 } = schema;
      return chance.pick<unknown>([minimum, minimum - 1, maximum, maximum + 1, 1.5, '1', null]);
    }
    default:
      return textsAround(schema, chance);
  }
};

/** A random value of any shape. */
export const hostileValue = (chance: Chance): unknown =>
  chance.weighted<() => unknown>([
    [5, () => chance.pick(hostileTexts)],
    [3, () => structuredClone(chance.pick(hostileValues))],
    [1, () => chance.pick(verbatims)],
  ])();
