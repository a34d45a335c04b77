/** Type guards for parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObjectOrArray = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

export const isJsonObject = (value: unknown): value is JsonObject => isObjectOrArray(value) && !Array.isArray(value);

/** The value, where it is an object and no array. */
export const objectOf = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** Whether a field was sent: `null` means absent, too (interface decisions 1). */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;
