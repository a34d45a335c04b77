import type { oas31 } from 'zod-openapi';
import { assert } from '../../assert.ts';

type Schema = oas31.SchemaObject;
type Property = Schema | oas31.ReferenceObject;

/** The suffix of a request component that a response repeats: there it is closed and has no defaults. */
export const echoSuffix = 'AsSent';

const isSchema = (property: Property | undefined): property is Schema =>
  property !== undefined && !('$ref' in property);

/** `anyOf` of a type and null as one type: half as long, and code generators produce better types from it. */
const withoutNullUnion = (schema: Schema): Schema => {
  const [first, second, ...others] = schema.anyOf ?? [];
  if (!isSchema(first) || !isSchema(second) || others.length > 0 || second.type !== 'null') return schema;
  if (typeof first.type !== 'string') return schema;
  const { anyOf: _, ...rest } = schema;
  return {
    ...first,
    ...rest,
    type: [first.type, 'null'],
    ...(first.enum && { enum: [...first.enum, null] }),
  };
};

// zod bounds integers by what JavaScript can represent, which is not a limit of the API.
const withoutSafeBounds = (schema: Schema): Schema => {
  if (schema.maximum !== Number.MAX_SAFE_INTEGER) return schema;
  const { maximum: _, minimum, ...rest } = schema;
  return minimum === Number.MIN_SAFE_INTEGER || minimum === undefined ? rest : { ...rest, minimum };
};

/** Shorten every schema within a part of the document. */
export const simplified = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(simplified) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, simplified(item)]));
  return withoutSafeBounds(withoutNullUnion(inner)) as Value;
};

/** A property that is a component has the description of the component, unless it has its own. */
const describedProperty = (property: Property, schemas: Readonly<Record<string, Schema>>): Property => {
  if (isSchema(property) || property.description) return property;
  const { description = '' } = schemas[property.$ref.slice(property.$ref.lastIndexOf('/') + 1)] ?? {};
  return { description, ...property };
};

const refinedComponent = (name: string, schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema => {
  const properties = Object.entries(schema.properties ?? {}).map(([property, value]) => {
    const described = describedProperty(value, schemas);
    assert(Boolean(described.description), `${name}.${property} has no description: see shared/described.ts.`);
    return [property, described];
  });
  assert(Boolean(schema.description), `${name} has no description: see shared/described.ts.`);
  return {
    ...schema,
    ...(name.endsWith(echoSuffix) && {
      description: `${schema.description} As sent: fields that the request leaves out are absent here, too.`,
    }),
    properties: Object.fromEntries(properties),
  };
};

/** Shorten the generated components, sort them by name, and check that each field has a description. */
export const refined = (schemas: Readonly<Record<string, Schema>>): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(schemas)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, schema]) => [name, refinedComponent(name, simplified(schema), schemas)]),
  );
