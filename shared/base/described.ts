import * as z from 'zod/mini';

/**
 * JSON Schema and OpenAPI keywords other than the description. `id` is the component's name; `pattern` documents a
 * check that code performs.
 */
type Keywords = Omit<z.core.GlobalMeta, 'description'>;

/** Defined by the bundler: functions serve an OpenAPI document that the build wrote, so they need no descriptions. */
declare const isBundle: true | undefined;

/**
 * Returns a copy of a schema with a description for the OpenAPI document. The copy keeps the original's keywords, so
 * fields that share a schema differ only in their descriptions. The description is stored in zod's registry, which
 * parsing never reads; `z.meta` would add a check to every parse.
 */
export const described = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  keywords: Keywords = {},
): Schema => {
  // In a bundle, 70 copies would take 4 ms of a cold start.
  if (typeof isBundle === 'boolean') return schema;
  const copy = schema.clone(schema._zod.def, { parent: true });
  z.globalRegistry.add<z.ZodMiniType>(copy, { description, ...keywords });
  return copy;
};

/**
 * Returns the schema of an object that is a component of the OpenAPI document. `advice` is the error for a value of
 * another type.
 */
export const component = <Shape extends z.core.$ZodLooseShape>(
  id: string,
  description: string,
  shape: Shape,
  advice?: string,
) => described(z.object(shape, advice), description, { id });

/* Schemas of zod with a description. */

export const string = (description: string, keywords?: Keywords) => described(z.string(), description, keywords);
export const boolean = (description: string) => described(z.boolean(), description);
export const integer = (description: string, keywords?: Keywords) => described(z.int(), description, keywords);
export const nullable = <Schema extends z.ZodMiniType>(schema: Schema, description: string, keywords?: Keywords) =>
  described(z.nullable(schema), description, keywords);
export const nullableString = (description: string) => nullable(z.string(), description);
/** `title` is the name of the type in generated clients. The error for any other value lists the allowed values. */
export const stringEnum = <const Values extends readonly string[]>(
  title: string,
  values: Values,
  description: string,
) => described(z.enum(values, `Send one of ${values.join(', ')}.`), description, { title });
export const array = <Schema extends z.ZodMiniType>(element: Schema, description: string) =>
  described(z.array(element), description);

/** Returns a schema's description, or an empty string. */
export const readDescription = (schema: z.core.$ZodType): string => z.globalRegistry.get(schema)?.description ?? '';

/** Returns an optional schema that also accepts null, with the description of the schema. */
export const nullish = <Schema extends z.ZodMiniType>(schema: Schema) =>
  described(z.nullish(schema), readDescription(schema));
