/** Split values into batches, in order. The default is the most keys that one BatchGetItem of DynamoDB takes. */
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

/** Every page of a list, in order. */
export async function* pagesOf<Cursor, Page extends { readonly next: Cursor | null }>(
  read: (after: Cursor | null) => Promise<Page>,
): AsyncGenerator<Page> {
  let after: Cursor | null = null;
  do {
    const page: Page = await read(after);
    yield page;
    after = page.next;
  } while (after !== null);
}
