import { constraintsOf, typeOf } from './constraints.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Markdown } from './markdown.ts';
import type { Document, Schema } from './openapi.ts';
import { schemaName } from './reading.ts';

/** One thing with a name: a field, a parameter or a header. */
export type Field = {
  readonly id?: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** `null` where it is said of all of them at once. */
  readonly presence: 'required' | 'optional' | 'always there' | 'sometimes there' | null;
  readonly inside?: Part;
};

const fieldItem = ({ id, name, description, schema, presence, inside }: Field, { line }: Markdown): Markup => {
  const constraints = constraintsOf(schema);
  return html`<li class="field"${id !== undefined && html` id="${id}"`}>
<p class="what">${id === undefined ? html`<code>${name}</code>` : html`<a class="self" href="#${id}"><code>${name}</code></a>`} <span class="type">${typeOf(schema)}</span>${presence && html` <span class="${presence === 'required' ? 'required' : 'presence'}">${presence}</span>`}</p>
${description && html`<p>${line(description)}</p>`}
${constraints.length > 0 && html`<ul class="limits">${constraints.map((one) => html`<li>${one}</li>`)}</ul>`}
${inside}</li>`;
};

export const fieldList = (fields: readonly Field[], markdown: Markdown): Markup =>
  html`<ul class="fields">${fields.map((field) => fieldItem(field, markdown))}</ul>`;

/** The schema that a field's value has, where it is one of the components: of itself, of the items, or beside null. */
const componentOf = (schema: Schema): string | null => {
  const found = [schema, schema.items, ...(schema.anyOf ?? [])].find((one) => one?.$ref);
  return found?.$ref ? schemaName(found.$ref) : null;
};

type Options = {
  /** What the ids of the fields begin with; without it they have none. */
  readonly prefix?: string;
  /** Whether the fields of the schemas inside are told, too. */
  readonly deep?: boolean;
};

const isClosed = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

/** Whether an answer has every one of its fields always, so that it need not be said of each. */
export const hasAll = (schema: Schema): boolean =>
  isClosed(schema) && schema.required?.length === Object.keys(schema.properties ?? {}).length;

const presenceOf = (schema: Schema, name: string): Field['presence'] => {
  if (hasAll(schema)) return null;
  const isRequired = schema.required?.includes(name) === true;
  if (isClosed(schema)) return isRequired ? 'always there' : 'sometimes there';
  return isRequired ? 'required' : 'optional';
};

const insideOf = (document: Document, markdown: Markdown, schema: Schema): Part => {
  const name = componentOf(schema);
  const component = name === null ? undefined : document.components.schemas[name];
  if (!component?.properties) return null;
  return html`<details class="inside"><summary>Fields of ${name}</summary>${schemaFields(document, markdown, component, { deep: true })}</details>`;
};

/** The properties of a request with the required ones first; those of a response keep their order. */
const orderedProperties = (schema: Schema): readonly [string, Schema][] => {
  const entries = Object.entries(schema.properties ?? {});
  if (isClosed(schema)) return entries;
  const isRequired = ([name]: [string, Schema]) => schema.required?.includes(name) === true;
  return [...entries.filter(isRequired), ...entries.filter((entry) => !isRequired(entry))];
};

/** The fields of an object, each with its type, presence, constraints and description. */
export const schemaFields = (document: Document, markdown: Markdown, schema: Schema, options: Options = {}): Markup =>
  fieldList(
    orderedProperties(schema).map(([name, property]) => ({
      ...(options.prefix !== undefined && { id: `${options.prefix}.${name}` }),
      name,
      description: property.description ?? '',
      schema: property,
      presence: presenceOf(schema, name),
      inside: options.deep ? insideOf(document, markdown, property) : null,
    })),
    markdown,
  );
