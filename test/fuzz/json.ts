/** JSON documents with many copies of an entry, or with a value that is deep, long or wide. */
import type { TestFile } from '../fixtures/imports/harness.ts';
import type { Random } from './random.ts';
import { inputBytesMax } from './target.ts';
import { copiesOf, longText, mutateFile } from './texts.ts';

const placeOf = (value: unknown, random: Random): { readonly parent: object; readonly key: string } | null => {
  if (typeof value !== 'object' || value === null) return null;
  const keys = Object.keys(value);
  const key = keys[random.below(keys.length)];
  if (key === undefined) return null;
  const inner = (value as Record<string, unknown>)[key];
  return (random.chance(0.7) ? placeOf(inner, random) : null) ?? { parent: value, key };
};

/** Stands for nested arrays, which `JSON.stringify` cannot write when they are deep. */
const deepMark = '@deep';

/** Copies of an object or text whose texts and numbers differ, as many as an input has room for. */
const copies = (value: unknown, random: Random): readonly unknown[] => {
  const isObject = typeof value === 'object' && value !== null;
  const [keys, cells] = isObject ? [Object.keys(value), Object.values(value)] : [['0'], [value]];
  const varied = copiesOf(cells, random, (cell, change) =>
    typeof cell === 'string' ? change(cell) : typeof cell === 'number' ? cell + 1 : cell,
  );
  const room = random.pick([1000, 100_000, 900_000]);
  return [...varied.take(Math.floor(room / (JSON.stringify(value)?.length ?? 4)))].map((copy) =>
    isObject ? Object.fromEntries(keys.map((key, at) => [key, copy[at]])) : copy[0],
  );
};

const values: readonly ((value: unknown, random: Random) => unknown)[] = [
  (value, random) =>
    Array.isArray(value) && value.length > 0 ? copies(random.pick(value), random) : copies(value, random),
  (value, random) => (Array.isArray(value) && value.length > 0 ? copies(random.pick(value), random) : [value, value]),
  (_, random) => longText(random, [30, 3000, 90_000, 900_000]),
  () => deepMark,
  (_, random) => Array(random.pick([10, 100_000])).fill(random.pick([0, null, '', {}, []])),
  (_, random) => Object.fromEntries(Array.from({ length: random.pick([10, 50_000]) }, (_, at) => [`k${at}`, at])),
  (_, random) => random.pick([null, -1, 1e300, 0.1, '', '0'.repeat(90_000), `1${'0'.repeat(5000)}`, '__proto__', true]),
];

/** A JSON file with one or two other values in it; in some cases its text is mutated. */
export const mutateJson = ({ name, content }: TestFile, random: Random): TestFile => {
  if (random.chance(0.3)) return mutateFile({ name, content }, random);
  const value = { root: JSON.parse(content.toString()) as unknown };
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const place = placeOf(value, random);
    if (!place) continue;
    const parent = place.parent as Record<string, unknown>;
    parent[place.key] = random.pick(values)(parent[place.key], random);
  }
  const depth = random.pick([10, 1000, 100_000]);
  const text = (JSON.stringify(value.root, null, random.pick([0, 0, 1])) ?? 'null').replace(
    `"${deepMark}"`,
    '['.repeat(depth) + ']'.repeat(depth),
  );
  return { name, content: Buffer.from(text).subarray(0, inputBytesMax) };
};
