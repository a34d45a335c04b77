/** Two streams in the order of their keys as one: each key once, with what either stream has of it. */
import { isZip } from './zip-pieces.ts';

type Keyed = { readonly key: string };
export type Pair<Value> = { readonly key: string; readonly one: Value | undefined; readonly other: Value | undefined };

/**
 * The order in which imports write parts, for `sort`: ZIP codes first, then cities, so that `29 PALMS` comes after 90001.
 */
export const compareKeys = (left: string, right: string): number =>
  Number(isZip(right)) - Number(isZip(left)) || Number(left > right) - Number(left < right);

/** Values that follow each other in the wrong order throw: they would be paired wrongly, in silence. */
async function* inOrder<Value extends Keyed>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  let last: string | undefined;
  for await (const value of values) {
    if (last !== undefined && compareKeys(value.key, last) <= 0)
      throw new Error(`The key ${value.key} comes after ${last}.`);
    last = value.key;
    yield value;
  }
}

export async function* pairsByKey<Value extends Keyed>(
  ones: AsyncIterable<Value>,
  others: AsyncIterable<Value>,
): AsyncGenerator<Pair<Value>> {
  const [first, second] = [inOrder(ones), inOrder(others)];
  const take = async (stream: AsyncGenerator<Value>): Promise<Value | undefined> => {
    const next = await stream.next();
    return next.done ? undefined : next.value;
  };
  let one = await take(first);
  let other = await take(second);
  while (one || other) {
    const key = !other || (one && compareKeys(one.key, other.key) < 0) ? one?.key : other.key;
    if (key === undefined) return;
    const pair = { key, one: one?.key === key ? one : undefined, other: other?.key === key ? other : undefined };
    yield pair;
    if (pair.one) one = await take(first);
    if (pair.other) other = await take(second);
  }
}
