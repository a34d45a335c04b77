/** Merge join of two streams that are sorted by key: each key once, with the values of both streams. */
import { AssertionError } from 'node:assert';
import { isZip } from './zip-pieces.ts';

type Keyed = { readonly key: string };
export type Pair<Value> = { readonly key: string; readonly left: Value | undefined; readonly right: Value | undefined };

/**
 * The order in which imports write parts, for `sort`: ZIP codes first, then cities, so that `29 PALMS` comes after 90001.
 */
export const compareKeys = (a: string, b: string): number =>
  Number(isZip(b)) - Number(isZip(a)) || Number(a > b) - Number(a < b);

/** Throw if the values are not sorted, because the join would be wrong. */
async function* inOrder<Value extends Keyed>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  let last: string | undefined;
  for await (const value of values) {
    if (last !== undefined && compareKeys(value.key, last) <= 0)
      throw new AssertionError({ message: `The key ${value.key} comes after ${last}.` });
    last = value.key;
    yield value;
  }
}

export async function* pairsByKey<Value extends Keyed>(
  lefts: AsyncIterable<Value>,
  rights: AsyncIterable<Value>,
): AsyncGenerator<Pair<Value>> {
  const [first, second] = [inOrder(lefts), inOrder(rights)];
  const take = async (stream: AsyncGenerator<Value>): Promise<Value | undefined> => {
    const next = await stream.next();
    return next.done ? undefined : next.value;
  };
  let left = await take(first);
  let right = await take(second);
  while (left || right) {
    const key = !right || (left && compareKeys(left.key, right.key) < 0) ? left?.key : right.key;
    if (key === undefined) return;
    const pair = { key, left: left?.key === key ? left : undefined, right: right?.key === key ? right : undefined };
    yield pair;
    if (pair.left) left = await take(first);
    if (pair.right) right = await take(second);
  }
}
