import { plain, type Schema } from './schema-values.ts';

/** The names in a JSON Pointer, or `null` for a text that is none (RFC 6901). */
const partsOf = (pointer: string): string[] | null =>
  pointer === '' || (pointer.startsWith('/') && !/~(?![01])/.test(pointer))
    ? pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    : null;

/** The position of each value in a body: one number for each name of the pointer. `null`: no such value. */
const positionOf = (body: unknown, parts: readonly string[]): number[] | null => {
  const position: number[] = [];
  let value = body;
  for (const part of parts) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null;
    position.push(Array.isArray(value) ? Number(part) : Object.keys(value).indexOf(part));
    value = (value as Record<string, unknown>)[part];
  }
  return position;
};

// A field that the document names, of an object that was sent, or was left out itself.
const isPlaceOfMissing = (body: unknown, parts: readonly string[], given: Schema): boolean => {
  let [value, schema]: [unknown, Schema] = [body, plain(given)];
  for (const part of parts) {
    const isAbsent = value === undefined || value === null;
    if (!isAbsent && typeof value !== 'object') return false;
    const inner = Array.isArray(value)
      ? /^\d+$/.test(part) && Number(part) < value.length
        ? schema.items
        : undefined
      : schema.properties?.[part];
    if (!inner) return false;
    value = isAbsent || !Object.hasOwn(value as object, part) ? undefined : (value as Record<string, unknown>)[part];
    schema = plain(inner);
  }
  return value === undefined || value === null;
};

/** Whether a pointer of a refusal leads to what was sent, or to where something is missing. */
export const leadsSomewhere = (pointer: string, body: unknown, schema: Schema): boolean => {
  const parts = partsOf(pointer);
  return parts !== null && (positionOf(body, parts) !== null || isPlaceOfMissing(body, parts, schema));
};

const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
  for (const [at, number] of one.entries()) {
    const against = other[at] ?? -1;
    if (number !== against) return number < against;
  }
  return true;
};

/** Whether the pointers of existing fields are in the order of the body. */
export const areInBodyOrder = (pointers: readonly string[], body: unknown): boolean => {
  const positions = pointers.map((pointer) => positionOf(body, partsOf(pointer) ?? [''])).filter((one) => one !== null);
  return positions.every((position, at) => at === 0 || isBefore(positions[at - 1] as number[], position));
};
