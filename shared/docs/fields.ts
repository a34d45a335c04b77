import { constraintsOf, typeOf } from './constraints.ts';
import { html, type Markup, type Part } from './html.ts';
import { inline } from './markdown.ts';
import { components, type Schema, schemaName } from './openapi.ts';

/** A field of an object, a parameter or a header. */
export type Field = {
  readonly id?: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** `null` if the list states it once for all fields. */
  readonly presence: 'required' | 'optional' | 'always present' | 'may be absent' | null;
  readonly nested?: Part;
};

const fieldItem = ({ id, name, description, schema, presence, nested }: Field): Markup => {
  const constraints = constraintsOf(schema);
  return html`<li class="field"${id !== undefined && html` id="${id}"`}>
<p class="what">${id === undefined ? html`<code>${name}</code>` : html`<a class="self" href="#${id}"><code>${name}</code></a>`} <span class="type">${typeOf(schema)}</span>${presence && html` <span class="${presence === 'required' ? 'required' : 'presence'}">${presence}</span>`}</p>
${description && html`<p>${inline(description)}</p>`}
${constraints.length > 0 && html`<ul class="limits">${constraints.map((constraint) => html`<li>${constraint}</li>`)}</ul>`}
${nested}</li>`;
};

/** A list of fields, required ones first. */
export const fieldList = (fields: readonly Field[]): Markup =>
  html`<ul class="fields">${[true, false].flatMap((isRequired) => fields.filter(({ presence }) => (presence === 'required') === isRequired)).map(fieldItem)}</ul>`;

// Responses have closed schemas, requests ignore unknown fields.
const isClosed = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

/** Whether a response always has all of its fields. */
export const hasAllFields = (schema: Schema): boolean =>
  isClosed(schema) && schema.required?.length === Object.keys(schema.properties ?? {}).length;

const presenceOf = (schema: Schema, name: string): Field['presence'] => {
  if (hasAllFields(schema)) return null;
  const isRequired = schema.required?.includes(name) === true;
  if (isClosed(schema)) return isRequired ? 'always present' : 'may be absent';
  return isRequired ? 'required' : 'optional';
};

const nestedFields = (schema: Schema): Part => {
  const { $ref } = [schema, schema.items, ...(schema.anyOf ?? [])].find((part) => part?.$ref) ?? {};
  const name = schemaName($ref ?? '');
  const component = components.schemas[name];
  if (!component?.properties) return null;
  return html`<details class="inside"><summary>Fields of ${name}</summary>${schemaFields(component, { isDeep: true })}</details>`;
};

/** The fields of an object. Ids begin with `prefix`; `isDeep` includes the fields of nested objects. */
export const schemaFields = (schema: Schema, { prefix = '', isDeep = false }): Markup =>
  fieldList(
    Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      ...(prefix && { id: `${prefix}.${name}` }),
      name,
      description: property.description ?? components.schemas[schemaName(property.$ref ?? '')]?.description ?? '',
      schema: property,
      presence: presenceOf(schema, name),
      nested: isDeep && nestedFields(property),
    })),
  );
