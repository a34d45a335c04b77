import { isObjectOrArray } from '../json.ts';

/** A path into a body as a JSON Pointer (RFC 6901). */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The value at a path, or `undefined`. Only own properties count: `__proto__` is not found. */
export const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown => {
  let value = body;
  for (const part of path) {
    if (!isObjectOrArray(value) || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
};
