/** A value whose fields and elements cannot be assigned, at every depth. */
export type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends string | number | bigint | boolean | null | undefined
    ? Value
    : Value extends Uint8Array | ReadonlyMap<string, unknown>
      ? Value
      : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> };

/** Type guards for parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObjectOrArray = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

export const isJsonObject = (value: unknown): value is JsonObject => isObjectOrArray(value) && !Array.isArray(value);

/** The value, where it is an object and no array. */
export const asObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** The value at a path, or `undefined`. Only own properties count: `__proto__` is not found. */
export const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown => {
  let value = root;
  for (const part of path) {
    if (!isObjectOrArray(value) || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
};

/** Whether a field was sent. `null` means absent. */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;

/** The value of a JSON text; `null` for text that is no JSON, which the caller refuses as it refuses `null`. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
