import * as z from 'zod/mini';

/** JSON Schema and OpenAPI keywords besides description: `id` names a component, `pattern` states what code checks. */
type Keywords = Omit<z.core.GlobalMeta, 'description'>;

/**
 * Return a copy of a schema with its description for the OpenAPI document. The copy keeps the keywords of the original,
 * so that fields that share a schema differ in their descriptions only.
 *
 * The description is in zod's registry, which parsing never reads; `z.meta` would add a check to every parse.
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

/** The description of a schema; empty if it has none. */
export const readDescription = (schema: z.core.$ZodType): string => z.globalRegistry.get(schema)?.description ?? '';
