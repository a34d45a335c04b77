/** Splits values into batches, in order. The default size is DynamoDB's BatchGetItem limit. */
export async function* toBatches<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  size = 100,
): AsyncGenerator<readonly Value[]> {
  let batch: Value[] = [];
  for await (const value of values) {
    if (batch.push(value) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Yields every page of a list, in order. */
export async function* readPages<Cursor, Page extends { readonly next: Cursor | null }>(
  read: (after: Cursor | null) => Promise<Page>,
): AsyncGenerator<Page> {
  let after: Cursor | null = null;
  do {
    const page: Page = await read(after);
    yield page;
    after = page.next;
  } while (after !== null);
}

/** A Map or WeakMap. */
type Values<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => unknown;
};

/** Returns the value of a key, and computes it on first use. `undefined` is not cached. */
export const getOrAdd = <Key, Value>(values: Values<Key, Value>, key: Key, make: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
};

/**
 * Returns the first position at or after `from` whose row satisfies `isTrueFor`, which must then be true for all later
 * rows.
 */
export const firstWhere = <Row>(rows: readonly Row[], isTrueFor: (row: Row) => boolean, from = 0): number => {
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isTrueFor(rows[middle] as Row)) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** Returns a function that makes a value on its first call and returns the same value on each call. */
export const lazy = <Value extends object | string>(make: () => Value): (() => Value) => {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
};

/** Runs a function for all values with limited concurrency. After a failure, it awaits the values in progress and throws. */
export const concurrently = async <Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  run: (value: Value) => Promise<unknown>,
  parallel = 8,
): Promise<void> => {
  // All workers share the generator, so it ends for all of them when one throws.
  const waiting = (async function* () {
    yield* values;
  })();
  const next = async () => {
    for await (const value of waiting) await run(value);
  };
  const workers = Array.from({ length: parallel }, next);
  await Promise.allSettled(workers);
  await Promise.all(workers);
};
