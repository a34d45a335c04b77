import type { oas31 } from 'zod-openapi';
import { echoSuffix } from './component-names.ts';
import { componentTexts, fieldTexts } from './field-texts.ts';
import { instantPattern } from './formats.ts';

type Schema = oas31.SchemaObject;
type Property = Schema | oas31.ReferenceObject;

const isSchema = (property: Property | undefined): property is Schema =>
  property !== undefined && !('$ref' in property);

/** `anyOf` of a type and null as one type: half as long, and generated code reads it better. */
const withoutNullUnion = (schema: Schema): Schema => {
  const [first, second, ...others] = schema.anyOf ?? [];
  if (!isSchema(first) || !isSchema(second) || others.length > 0 || second.type !== 'null') return schema;
  if (typeof first.type !== 'string') return schema;
  const { anyOf: _, ...rest } = schema;
  return {
    ...rest,
    ...first,
    type: [first.type, 'null'],
    ...(first.enum && { enum: [...first.enum, null] }),
  };
};

// Whole numbers as zod bounds them, which says nothing about the number.
const withoutSafeBounds = (schema: Schema): Schema => {
  if (schema.maximum !== Number.MAX_SAFE_INTEGER) return schema;
  const { maximum: _, minimum: __, ...rest } = schema;
  return rest;
};

const mapped = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(mapped) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item)]));
  return withoutSafeBounds(withoutNullUnion(inner)) as Value;
};

// As amounts come out: the decimals of the currency, of which there are at most three.
const amount = { pattern: '^\\d+(\\.\\d{1,3})?$' };
const signedAmount = { pattern: '^-?\\d+(\\.\\d{1,3})?$' };
const sentDecimal = { pattern: '^\\d{1,12}(\\.\\d{1,10})?$' };
const timestamp = { format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const sent = new Set(['discount_amount', 'third_party_discount_amount', 'quantity', 'unit_price']);

/** The format of a field of an answer, by its name: answers are made by code, so their schemas know only the types. */
const answerFormat = (component: string, name: string): Schema => {
  if (sent.has(name) || (component === 'Shipping' && name === 'amount')) return sentDecimal;
  // What credits took, a filing says with a minus.
  if (component.startsWith('Filing') && name.endsWith('_amount')) return signedAmount;
  if (component.startsWith('Filing') && /^(count|entries_\w+)$/.test(name)) return { minimum: 0 };
  // As it was sent, or the difference of it and what was recorded.
  if (component === 'ReconciledAmounts') return { pattern: '^-?\\d{1,16}(\\.\\d{1,10})?$' };
  if (name === 'amount' || name.endsWith('_amount')) return amount;
  if (name === 'at' || name.endsWith('_at')) return timestamp;
  if (name === 'rate' || name === 'combined_rate') return { pattern: '^\\d+(\\.\\d+)?$' };
  if (name === 'tax_date') return { pattern: instantPattern };
  if (['period_start', 'period_end', 'date'].includes(name)) return { format: 'date' };
  if (name === 'month') return { pattern: '^\\d{4}-\\d{2}$' };
  if (name === 'share_missing') return { pattern: '^[01]\\.\\d{4}$' };
  if (component === 'LocalCoverage' && name !== 'basis') return name === 'as_of' ? { format: 'date' } : { minimum: 0 };
  if (name === 'currency') return { pattern: '^[A-Z]{3}$' };
  if (name === 'version') return { minimum: 1 };
  return {};
};

// In a new document null means absent; in an update it clears, which these fields cannot be (interface decisions 1). The
// contract test sends each null.
const neverNull = new Set(
  ['line_items', 'currency', 'tax_date', 'tax_included', 'collected_by', 'explain', 'status', 'type'].map(
    (name) => `TransactionUpdate.${name}`,
  ),
);

const withoutNull = (property: Property): Property => {
  if (!isSchema(property)) return property;
  if (!Array.isArray(property.type)) throw new Error('A field that can be null has two types.');
  const [type, ...others] = property.type.filter((name) => name !== 'null');
  if (type === undefined || others.length > 0) throw new Error('A field has one type beside null.');
  return { ...property, type, ...(property.enum && { enum: property.enum.filter((value) => value !== null) }) };
};

const refinedProperty = (component: string, isAnswer: boolean, name: string, property: Property): Property => {
  const text = fieldTexts[`${component}.${name}`] ?? fieldTexts[name];
  const described = { ...(text !== undefined && { description: text }), ...property } as Property & Schema;
  if (!described.description) throw new Error(`Say in field-texts.ts what ${component}.${name} is.`);
  return isAnswer && isSchema(property) ? { ...described, ...answerFormat(component, name) } : described;
};

const refinedComponent = (name: string, schema: Schema): Schema => {
  const original = name.endsWith(echoSuffix) ? name.slice(0, -echoSuffix.length) : name;
  const text = componentTexts[original] ?? schema.description;
  if (!text) throw new Error(`Say in field-texts.ts what ${name} is.`);
  const isAnswer = schema.additionalProperties === false && original === name;
  const properties = Object.entries(schema.properties ?? {}).map(([property, value]) => [
    property,
    refinedProperty(original, isAnswer, property, neverNull.has(`${name}.${property}`) ? withoutNull(value) : value),
  ]);
  return {
    description: original === name ? text : `${text} As it was sent: what was left out is left out here, too.`,
    ...schema,
    properties: Object.fromEntries(properties),
  };
};

/** Make the generated components worth reading: what each field means and looks like, and nothing longer than need be. */
export const refined = (schemas: Readonly<Record<string, Schema>>): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(schemas)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => [name, refinedComponent(name, mapped(schema))]),
  );

export { mapped as simplified };
