import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairsByKey } from '../../shared/importers/releases/pairs-by-key.ts';

async function* stream(keys: readonly string[], side: string) {
  for (const key of keys) yield { key, side };
}
const paired = async (ones: readonly string[], others: readonly string[]) => {
  const found: string[] = [];
  for await (const { key, left, right } of pairsByKey(stream(ones, 'left'), stream(others, 'right')))
    found.push([key, left?.key === key && left.side, right?.key === key && right.side].filter(Boolean).join(' '));
  return found;
};

describe('two streams of parts as left', () => {
  it('has every key once, in order, with the entries of each stream', async () => {
    const zips = ['10001', '10002', '20000', '55401'];
    const keys = fc.uniqueArray(fc.constantFrom(...zips, '29 PALMS', 'A', 'B', 'SAINT PAUL', 'ZUMBRO'));
    const inOrder = (some: readonly string[]) => [
      ...zips.filter((zip) => some.includes(zip)),
      ...some.filter((key) => !zips.includes(key)).sort(),
    ];
    await fc.assert(
      fc.asyncProperty(keys, keys, async (ones, others) => {
        const expected = inOrder([...new Set([...ones, ...others])]).map((key) =>
          [key, ones.includes(key) && 'left', others.includes(key) && 'right'].filter(Boolean).join(' '),
        );
        expect(await paired(inOrder(ones), inOrder(others))).toEqual(expected);
      }),
    );
  });

  it('stops at keys that are not in order', async () => {
    await expect(paired(['2', '1'], ['1'])).rejects.toThrow('The key 1 comes after 2.');
    await expect(paired(['1'], ['1', '1'])).rejects.toThrow('The key 1 comes after 1.');
  });
});
