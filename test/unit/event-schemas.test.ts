import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { eventsOfRecordMax } from '../../shared/events/event.ts';

const folder = new URL('../../shared/events/schemas/', import.meta.url);
const published = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

// Listed here, because dropping or renaming an event breaks customers' rules.
const types = [
  'content.activated',
  'content.proposed',
  'credit.finalized',
  'draft.expired',
  'filing.canceled',
  'filing.closed',
  'filing.due_soon',
  'filing.filed',
  'filing.overdue',
  'transaction.created',
  'transaction.filed',
  'transaction.finalized',
  'transaction.voided',
];

it('contains one schema file per event type', () => {
  expect(readdirSync(folder).sort()).toEqual(types.map((type) => `${type}.json`));
});

const ajv = new Ajv2020({ allErrors: true });
const validates = (schema: AnySchemaObject & { readonly $id: string }, value: unknown): boolean =>
  (ajv.getSchema(schema.$id) ?? ajv.compile(schema))(value) === true;

type Fields = Readonly<Record<string, object>>;
const getPart = (fields: object) =>
  (['filing', 'content', 'transaction'] as const).find((part) => part in fields) ?? 'transaction';
const without = (value: object, field: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

it.each(types)('describes the fields of %s in its schema, which accepts its own events only', (type) => {
  const schema = published(`${type}.json`);
  const [example] = schema.examples as [Fields];
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect([schema.$id, schema.title, schema.examples.length]).toEqual([`urn:levy:event:${type}`, type, 1]);
  expect([ajv.validateSchema(schema), Boolean(schema.description)]).toEqual([true, true]);
  const part = getPart(schema.properties);
  const fields = { ...schema.properties, ...schema.properties[part].properties };
  const silent = Object.keys(fields).filter((field) => !fields[field].description);
  expect(silent).toEqual([part]);
  for (const field of Object.keys(example)) expect(validates(schema, without(example, field))).toBe(false);
  const own = example[part] ?? {};
  for (const field of Object.keys(own))
    expect([field, validates(schema, { ...example, [part]: without(own, field) })]).toEqual([field, false]);
  expect(validates(schema, { ...example, later: 'added' })).toBe(true);
  for (const other of types)
    expect([other, validates(schema, published(`${other}.json`).examples[0])]).toEqual([other, other === type]);
});

it('rejects numeric amounts, times without a zone, and ids of a different type', () => {
  const schema = published('transaction.finalized.json');
  const [example] = schema.examples;
  const changed = (fields: object, others: object = {}) => ({
    ...example,
    ...fields,
    transaction: { ...example.transaction, ...others },
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

it('keeps the ten events of one PutEvents call within 256 KB', () => {
  const longest = '\u{1F4A9}'.repeat(127);
  const [example] = published('transaction.finalized.json').examples;
  const event = { ...example, transaction: { ...example.transaction, reference_id: longest } };
  expect(10 * Buffer.byteLength(JSON.stringify(event))).toBeLessThan(256_000);
  expect(eventsOfRecordMax).toBe(2);
});
