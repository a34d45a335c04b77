type Leaf = string | number | boolean | null | { readonly prefix: string };
export type Pattern = { readonly [field: string]: Pattern | readonly Leaf[] };

const fits = (leaf: Leaf, value: unknown): boolean =>
  typeof leaf === 'object' && leaf !== null
    ? typeof value === 'string' && value.startsWith(leaf.prefix)
    : leaf === value;

/**
 * Whether an EventBridge pattern matches an event (EventBridge user guide), for values and `prefix`: every field of the
 * pattern must exist and have one of its values.
 */
export const matches = (pattern: Pattern, event: unknown): boolean =>
  Object.entries(pattern).every(([field, expected]) => {
    const value = typeof event === 'object' && event !== null ? (event as Record<string, unknown>)[field] : undefined;
    if (!Array.isArray(expected)) return matches(expected as Pattern, value);
    for (const leaf of expected)
      if (typeof leaf === 'object' && leaf !== null && Object.keys(leaf).join() !== 'prefix')
        throw new Error('Unsupported operator.');
    // One element of a list suffices.
    return [value].flat().some((one) => one !== undefined && expected.some((leaf) => fits(leaf, one)));
  });
