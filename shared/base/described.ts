import * as z from 'zod/mini';

/**
 * JSON Schema and OpenAPI keywords other than the description. `id` is the component's name; `pattern` documents a
 * check that code performs.
 */
type Keywords = Omit<z.core.GlobalMeta, 'description'>;

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
  const copy = schema.clone(schema._zod.def, { parent: true });
  z.globalRegistry.add<z.ZodMiniType>(copy, { description, ...keywords });
  return copy;
};

/** Returns a schema's description, or an empty string. */
export const readDescription = (schema: z.core.$ZodType): string => z.globalRegistry.get(schema)?.description ?? '';
