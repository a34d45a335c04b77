type Leaf = string | number | boolean | null | { readonly prefix: string };
export type Pattern = { readonly [field: string]: Pattern | readonly Leaf[] };

const fits = (leaf: Leaf, value: unknown): boolean =>
  typeof leaf === 'object' && leaf !== null
    ? typeof value === 'string' && value.startsWith(leaf.prefix)
    : leaf === value;

/**
 * Whether an event pattern of EventBridge matches, as its user guide says, for the operators that we use: every field
 * that is named must be there and have one of the values that stand in its list, or begin as one of them says.
 */
export const matches = (pattern: Pattern, event: unknown): boolean =>
  Object.entries(pattern).every(([field, expected]) => {
    const value = typeof event === 'object' && event !== null ? (event as Record<string, unknown>)[field] : undefined;
    if (!Array.isArray(expected)) return matches(expected as Pattern, value);
    for (const leaf of expected)
      if (typeof leaf === 'object' && leaf !== null && Object.keys(leaf).join() !== 'prefix')
        throw new Error('An operator that this matcher does not know.');
    // Of a value that is a list, one suffices.
    return [value].flat().some((one) => one !== undefined && expected.some((leaf) => fits(leaf, one)));
  });
