import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { eventsOfRecordMax } from '../../shared/events/event.ts';

const folder = new URL('../../shared/events/schemas/', import.meta.url);
const published = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

// Written out, because dropping or renaming one breaks a customer's rule.
const types = [
  'content.activated',
  'content.proposed',
  'credit.finalized',
  'draft.expired',
  'filing.canceled',
  'filing.closed',
  'filing.filed',
  'transaction.created',
  'transaction.filed',
  'transaction.finalized',
  'transaction.voided',
];

it('are of these types', () => {
  expect(readdirSync(folder).sort()).toEqual(types.map((type) => `${type}.json`));
});

const ajv = new Ajv2020({ allErrors: true });
const validates = (schema: AnySchemaObject & { readonly $id: string }, value: unknown): boolean =>
  (ajv.getSchema(schema.$id) ?? ajv.compile(schema))(value) === true;

type Fields = Readonly<Record<string, unknown>>;
type Example = Fields & Partial<Record<Part, Fields>>;
type Part = 'filing' | 'transaction' | 'content';
const partOf = (fields: object): Part =>
  (['filing', 'content', 'transaction'] as const).find((part) => part in fields) ?? 'transaction';

/** The event without one of its fields, for each of them. */
const lacking = (event: Example): [string, unknown][] => {
  const part = partOf(event);
  const { [part]: of = {}, ...envelope } = event;
  const without = (value: Fields, field: string) => {
    const { [field]: _, ...others } = value;
    return others;
  };
  return [
    ...Object.keys(event).map((field): [string, unknown] => [field, without(event, field)]),
    ...Object.keys(of).map((field): [string, unknown] => [field, { ...envelope, [part]: without(of, field) }]),
  ];
};

describe.each(types)('the schema of %s', (type) => {
  const schema = published(`${type}.json`);
  const [example] = schema.examples;

  it('is JSON Schema 2020-12, named by its type, with an example that it accepts', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect([schema.$id, schema.title, schema.examples.length]).toEqual([`urn:levy:event:${type}`, type, 1]);
    expect(ajv.validateSchema(schema)).toBe(true);
    expect([validates(schema, example), ajv.errors ?? null]).toEqual([true, null]);
  });

  it('describes each field', () => {
    const part = partOf(schema.properties);
    const fields = Object.entries<{ readonly description?: string }>({
      ...schema.properties,
      ...schema.properties[part].properties,
    });
    const silent = fields.filter(([, { description }]) => !description).map(([field]) => field);
    expect(silent).toEqual([part]);
    expect(schema.description).toBeTruthy();
  });

  it('reports every missing field, and ignores a new one', () => {
    for (const [field, event] of lacking(example)) expect([field, validates(schema, event)]).toEqual([field, false]);
    expect(validates(schema, { ...example, later: 'added' })).toBe(true);
  });

  it('refuses events of other types', () => {
    for (const other of types)
      expect([other, validates(schema, published(`${other}.json`).examples[0])]).toEqual([other, other === type]);
  });
});

it('refuse amounts that are numbers, times without a zone, and ids of something else', () => {
  const schema = published('transaction.finalized.json');
  const [example] = schema.examples;
  const changed = (fields: object, of: object = {}) => ({
    ...example,
    ...fields,
    transaction: { ...example.transaction, ...of },
  });
  expect(validates(schema, changed({}))).toBe(true);
  for (const broken of [
    changed({}, { tax_amount: 6 }),
    changed({}, { tax_amount: '6,00' }),
    changed({}, { version: 0 }),
    changed({}, { version: '2' }),
    changed({}, { status: 'draft' }),
    changed({}, { type: 'credit' }),
    changed({}, { previous_status: 'filed' }),
    changed({}, { id: 'fil_1' }),
    changed({ account: 'someone' }),
    changed({ occurred_at: '2026-11-05T09:30:00' }),
    changed({ occurred_at: 1762335000 }),
  ])
    expect(validates(schema, broken)).toBe(false);
});

it('keep ten events, which the bus takes at once, within 256 KB', () => {
  const longest = '\u{1F4A9}'.repeat(127);
  const [example] = published('transaction.finalized.json').examples;
  const event = { ...example, transaction: { ...example.transaction, reference_id: longest } };
  expect(10 * Buffer.byteLength(JSON.stringify(event))).toBeLessThan(256_000);
  expect(eventsOfRecordMax).toBe(2);
});
