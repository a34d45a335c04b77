/** A Map or WeakMap. */
type Values<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => unknown;
};

/** The value of a key, computed on first use. `undefined` is not cached. */
export const getOrAdd = <Key, Value>(values: Values<Key, Value>, key: Key, make: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
};
