import { canonicalJson } from '../canonical-json.ts';

/** Whether two values are the same JSON, whatever the order of their keys. */
export const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);

/** Absent and null are equal inside an object, because clients may send either. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
};
