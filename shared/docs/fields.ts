import type { Schema } from '../api/openapi/types.ts';
import { html, inline, type Markup, type Part } from './markup.ts';
import { components, schemaName } from './openapi.ts';

const joined = (parts: readonly Part[], between: Part): Part =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [between, part]));

/** Describes the type of a value, with links to its schemas. */
const describeType = (schema: Schema): Part => {
  if (schema.$ref) return html`<a href="#schema-${schemaName(schema.$ref)}">${schemaName(schema.$ref)}</a>`;
  if (schema.anyOf) return joined(schema.anyOf.map(describeType), ' or ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return schema.const !== undefined || schema.enum ? 'value' : 'any value';
  return joined(
    types.map((type): Part => {
      if (type === 'array' && schema.items) return ['list of ', describeType(schema.items)];
      const values = schema.additionalProperties;
      if (type === 'object' && typeof values === 'object') return ['object of ', describeType(values)];
      return type === 'array' ? 'list' : type;
    }),
    ' or ',
  );
};

const between = (least: number | undefined, most: number | undefined, unit: string): string | null => {
  const number = (count: number) => count.toLocaleString('en-US');
  const units = (count: number) => `${number(count)}${unit && ` ${unit}${count === 1 ? '' : 's'}`}`;
  if (least !== undefined && most !== undefined)
    return least === most ? units(most) : `${number(least)} to ${units(most)}`;
  if (most !== undefined) return `at most ${units(most)}`;
  return least === undefined ? null : `at least ${units(least)}`;
};

// Descriptions of frequent patterns. Other patterns are shown as regular expressions.
const patterns: Readonly<Record<string, string>> = {
  '^\\d{1,12}(\\.\\d{1,10})?$': 'a decimal: up to 12 digits, and up to 10 after the point',
  '^(?![0.]*$)\\d{1,12}(\\.\\d{1,10})?$': 'a decimal above zero: up to 12 digits, and up to 10 after the point',
  '^\\d+(\\.\\d{1,3})?$': "a decimal with the currency's places",
  '^-?\\d+(\\.\\d{1,3})?$': "a decimal with the currency's places, negative with a minus sign",
  '^\\d+(\\.\\d+)?$': 'a decimal',
  '^[A-Z]{3}$': 'three capital letters',
  '^\\d{4}-\\d{2}$': 'YYYY-MM',
  '^\\d+$': 'digits',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$': 'YYYY-MM-DDThh:mm:ss.sssZ',
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-](0\\d|1[0-4]):[0-5]\\d))?$':
    'YYYY-MM-DD, or a timestamp with Z or an offset',
  '^[^\\u0000-\\u001F\\u007F-\\u009F]*$': 'no control characters',
  '^[\\x20-\\x7E]*$': 'printable ASCII',
  '^"[^"]*"$': 'in double quotes',
};

const codes = (values: readonly unknown[]): Part =>
  joined(
    values.map((value) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`),
    ', ',
  );

const list = (values: readonly unknown[]): Part => {
  const named = values.filter((value) => value !== null);
  const all: Part = ['one of ', codes(named)];
  if (named.length <= 12) return all;
  return html`<details><summary>one of ${named.length} values</summary><p>${codes(named)}</p></details>`;
};

const ownConstraints = (schema: Schema): readonly Part[] => [
  schema.enum && list(schema.enum),
  schema.const !== undefined && ['always ', codes([schema.const])],
  schema.pattern && (patterns[schema.pattern] ?? ['matches ', html`<code>${schema.pattern}</code>`]),
  schema.format === 'date' && 'YYYY-MM-DD',
  between(schema.minLength, schema.maxLength, 'character'),
  between(schema.minItems, schema.maxItems, 'item'),
  between(undefined, schema.maxProperties, 'key'),
  schema.propertyNames && [
    'keys of ',
    between(schema.propertyNames.minLength, schema.propertyNames.maxLength, 'character'),
  ],
  between(schema.minimum, schema.maximum, ''),
  schema.default !== undefined && ['default ', codes([schema.default])],
  schema.examples && ['such as ', codes(schema.examples)],
];

// Returns the schema of the elements of a list or the values of an object.
const getMember = ({ items, additionalProperties }: Schema): Schema | null => {
  if (items && !items.$ref) return items;
  return typeof additionalProperties === 'object' && !additionalProperties.$ref ? additionalProperties : null;
};

/** Returns the constraints of a value, except its type, as short phrases. */
const listConstraints = (schema: Schema): readonly Part[] => {
  const member = getMember(schema);
  const ofMembers = member ? ownConstraints(member).filter(Boolean) : [];
  return [
    ...ownConstraints(schema).filter(Boolean),
    ...(ofMembers.length > 0 ? [['each: ', joined(ofMembers, ', ')]] : []),
  ];
};

/** A field of an object, a parameter or a header. */
export type Field = {
  readonly id?: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** `null` if the list states it for all fields. */
  readonly presence: 'required' | 'required with exceptions' | 'optional' | 'always present' | 'may be absent' | null;
  readonly nested?: Part;
};

const isRequired = (presence: Field['presence']): boolean => presence?.startsWith('required') === true;

const fieldItem = ({ id, name, description, schema, presence, nested }: Field): Markup => {
  const constraints = listConstraints(schema);
  return html`<li class="field"${id !== undefined && html` id="${id}"`}>
<p class="what">${id === undefined ? html`<code>${name}</code>` : html`<a class="self" href="#${id}"><code>${name}</code></a>`} <span class="type">${describeType(schema)}</span>${presence && html` <span class="${isRequired(presence) ? 'required' : 'presence'}">${presence}</span>`}</p>
${description && html`<p>${inline(description)}</p>`}
${constraints.length > 0 && html`<ul class="limits">${constraints.map((constraint) => html`<li>${constraint}</li>`)}</ul>`}
${nested}</li>`;
};

/** Renders a list of fields, required fields first. */
export const fieldList = (fields: readonly Field[]): Markup =>
  html`<ul class="fields">${[true, false].flatMap((first) => fields.filter(({ presence }) => isRequired(presence) === first)).map(fieldItem)}</ul>`;

// Response schemas are closed; requests ignore unknown fields.
const isClosed = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

/** Returns whether a response always has all of its fields. */
export const hasAllFields = (schema: Schema): boolean =>
  isClosed(schema) && schema.required?.length === Object.keys(schema.properties ?? {}).length;

const getPresence = (schema: Schema, name: string): Field['presence'] => {
  if (hasAllFields(schema)) return null;
  const isListed = schema.required?.includes(name) === true;
  if (isClosed(schema)) return isListed ? 'always present' : 'may be absent';
  if (isListed) return 'required';
  // A schema cannot express that a field depends on other fields.
  return /\bRequired, except\b/.test(schema.properties?.[name]?.description ?? '')
    ? 'required with exceptions'
    : 'optional';
};

const nestedFields = (schema: Schema): Part => {
  const { $ref } = [schema, schema.items, ...(schema.anyOf ?? [])].find((part) => part?.$ref) ?? {};
  const name = schemaName($ref ?? '');
  const component = components.schemas[name];
  if (!component?.properties) return null;
  return html`<details class="inside"><summary>Fields of ${name}</summary>${schemaFields(component, { isDeep: true })}</details>`;
};

/** Renders the fields of an object. Element ids start with `prefix`; `isDeep` includes the fields of nested objects. */
export const schemaFields = (schema: Schema, { prefix = '', isDeep = false }): Markup =>
  fieldList(
    Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      ...(prefix && { id: `${prefix}.${name}` }),
      name,
      description: property.description ?? components.schemas[schemaName(property.$ref ?? '')]?.description ?? '',
      schema: property,
      presence: getPresence(schema, name),
      nested: isDeep && nestedFields(property),
    })),
  );
