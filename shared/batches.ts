/** Split values into batches, in order; the default is as many keys as one read of a table takes. */
export async function* batchesOf<Value>(
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
