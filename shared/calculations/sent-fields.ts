/** The fields of an unvalidated body. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value, if it is an object. */
export const recordOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** Whether a field was sent: `null` means absent, too (interface decisions 1). */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;
