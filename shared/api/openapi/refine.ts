import type { oas31 } from 'zod-openapi';
import { assert } from '../../base/assert.ts';

type Schema = oas31.SchemaObject;
type Property = Schema | oas31.ReferenceObject;

/** The suffix of a request component that also appears in responses, where it is closed and has no defaults. */
export const echoSuffix = 'AsSent';

const isSchema = (property: Property | undefined): property is Schema =>
  property !== undefined && !('$ref' in property);

/** `anyOf` of a type and null as one type: half as long, and code generators produce better types from it. */
const withoutNullUnion = (schema: Schema): Schema => {
  const [first, second, ...others] = schema.anyOf ?? [];
  if (!isSchema(first) || !isSchema(second) || others.length > 0 || second.type !== 'null') return schema;
  if (first.type === undefined) return schema;
  const { anyOf: _, ...rest } = schema;
  // An enum becomes a component, whose name is the title of the field.
  if (first.enum) {
    const { title, ...others } = rest;
    return { ...others, anyOf: [{ ...first, ...(title !== undefined && { title }) }, second] };
  }
  return { ...first, ...rest, type: [...[first.type].flat(), 'null'] };
};

/**
 * Converts a union of an object and a list of such objects (or a string) to one schema with several types. Java clients
 * generated from a union do not compile; from this schema, they get the object's type.
 */
const withoutTypeUnion = (schema: Schema, components: Components): Schema => {
  const options = (schema.anyOf ?? []).map((option) =>
    '$ref' in option ? components[option.$ref.split('/').at(-1) ?? ''] : option,
  );
  const others = (schema.anyOf ?? []).filter((option) => isSchema(option) && option.type !== 'object') as Schema[];
  const object = options.find((option) => option?.type === 'object');
  const types = others.flatMap(({ type }) => type ?? []);
  if (!object || types.every((type) => type === 'null') || others.length < options.length - 1) return schema;
  const { anyOf: _, ...rest } = schema;
  const { description: _d, ...own } = object;
  const keywords = others.map(({ type: _, description: __, ...option }) => option);
  return Object.assign({}, own, ...keywords, rest, { type: ['object', ...types] });
};

type Components = Readonly<Record<string, Schema>>;

// zod bounds integers to JavaScript's safe range, which is not a limit of the API.
const withoutSafeBounds = (schema: Schema): Schema => {
  if (schema.maximum !== Number.MAX_SAFE_INTEGER) return schema;
  const { maximum: _, minimum, ...rest } = schema;
  return minimum === Number.MIN_SAFE_INTEGER || minimum === undefined ? rest : { ...rest, minimum };
};

/** Simplifies every schema within a part of the document. */
export const simplified = <Value>(value: Value, components: Components = {}): Value => {
  if (Array.isArray(value)) return value.map((item) => simplified(item, components)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, simplified(item, components)]));
  return withoutSafeBounds(withoutTypeUnion(withoutNullUnion(inner), components)) as Value;
};

/** Adds the description to a reference. Generators ignore keywords next to `$ref`, but not next to `allOf`. */
const withoutSiblings = (schema: Property): Property => {
  if (isSchema(schema)) return schema;
  const { $ref, ...siblings } = schema;
  return Object.keys(siblings).length === 0 ? schema : { ...siblings, allOf: [{ $ref }] };
};

/**
 * Moves each enum to a component named by its title, so every generator creates one type for it, with a name that does
 * not depend on the order of the document. Enums with the same title must have the same values.
 */
export const withNamedEnums = (document: oas31.OpenAPIObject): oas31.OpenAPIObject => {
  const named: Record<string, Schema> = {};
  const nameEnum = (schema: Schema): Property => {
    if (!Array.isArray(schema.enum)) return schema;
    const { title, type, enum: values, ...rest } = schema;
    // Clients must accept values that later versions add.
    if ('x-extensible-enum' in rest) return { type: 'string', ...rest };
    assert(title !== undefined, `The enum ${values} has no title.`);
    const component: Schema = { title, type: 'string', enum: values };
    assert(
      JSON.stringify(named[title] ?? component) === JSON.stringify(component),
      `Two enums have the title ${title} and different values.`,
    );
    named[title] = component;
    return { $ref: `#/components/schemas/${title}`, ...rest };
  };
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isData.has(key) ? item : visit(item)]),
    );
    return withoutSiblings(nameEnum(inner));
  };
  const visited = visit(document) as oas31.OpenAPIObject;
  const schemas = { ...visited.components?.schemas, ...named };
  const sorted = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...visited, components: { ...visited.components, schemas: Object.fromEntries(sorted) } };
};

// Skips examples, whose data may contain a key `enum` or `$ref`.
const isData = new Set(['example', 'examples', 'x-error-codes']);

const refinedComponent = (name: string, schema: Schema): Schema => {
  // A property that references a component uses the component's description unless it has one itself.
  for (const [property, value] of Object.entries(schema.properties ?? {}))
    assert(
      '$ref' in value || Boolean(value.description),
      `${name}.${property} has no description: see shared/base/described.ts.`,
    );
  assert(Boolean(schema.description), `${name} has no description: see shared/base/described.ts.`);
  return {
    ...schema,
    ...(name.endsWith(echoSuffix) && {
      description: `${schema.description} As sent: fields that the request leaves out are also absent here.`,
    }),
  };
};

/** Simplifies the generated components, and checks that each field has a description. */
export const refined = (schemas: Components): Record<string, Schema> => {
  const components = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, simplified(schema)]));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, refinedComponent(name, simplified(schema, components))]),
  );
};
