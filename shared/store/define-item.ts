import * as z from 'zod/mini';
import type { DeepReadonly } from '../base/json.ts';
import { compress, decompress } from './client/compressed.ts';
import type { Item, ItemKey } from './keys.ts';

type Definition<Place extends unknown[], Schema> = {
  readonly key: (...place: Place) => ItemKey;
  /** The other attributes, named like the value's fields. */
  readonly schema: Schema;
};

/**
 * Defines a kind of item. `write` builds an item from the key and the schema's fields. `read` throws if the item does
 * not match what `write` produces.
 */
export const defineItem = <Place extends unknown[], Schema extends z.core.$ZodType<object>>({
  key,
  schema,
}: Definition<Place, Schema>) => {
  const attributes = (value: DeepReadonly<z.output<Schema>>): Readonly<Record<string, unknown>> =>
    z.encode(schema, value as z.output<Schema>) as Record<string, unknown>;
  return {
    attributes,
    write: (place: Place, value: DeepReadonly<z.output<Schema>>): Item => ({ ...key(...place), ...attributes(value) }),
    read: (item: unknown): z.output<Schema> => z.decode(schema, item as z.input<Schema>),
  };
};

/** A value stored as compressed JSON. */
export const compressed = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.codec(z.instanceof(Uint8Array), schema, {
    decode: (bytes) => decompress(bytes) as z.input<Schema>,
    encode: compress,
  });
