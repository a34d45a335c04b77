import * as z from 'zod/mini';

/** A map with string keys, stored as an array of its entries. */
export const listEntries = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.codec(
    z.array(z.tuple([z.string(), schema])),
    z.custom<ReadonlyMap<string, z.output<Schema>>>((map) => map instanceof Map),
    {
      decode: (entries) => new Map(entries as readonly (readonly [string, z.output<Schema>])[]),
      encode: (map) => [...map] as [string, z.output<Schema>][],
    },
  );
