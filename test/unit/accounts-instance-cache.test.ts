import { expect, it } from 'vitest';
import { instanceCache } from '../../shared/base/instance-cache.ts';
import { advanceClock } from '../../shared/config/clock.ts';

const counted = (answer: (key: string) => Promise<string | undefined> = async (key) => key) => {
  const reads: string[] = [];
  const load = (key: string) => {
    reads.push(key);
    return answer(key);
  };
  return { reads, load };
};
const minute = { lifetimeMs: 60_000, capacity: 3 };

it('reads a key once in its lifetime, even if nothing is found', async () => {
  const { reads, load } = counted(async () => undefined);
  const cache = instanceCache<string | undefined>(minute);
  await cache('a', load);
  advanceClock(59_000);
  await cache('a', load);
  expect(reads).toEqual(['a']);
  advanceClock(1_000);
  await cache('a', load);
  expect(reads).toEqual(['a', 'a']);
});

it('reads again after the clock was set back', async () => {
  const { reads, load } = counted();
  const cache = instanceCache<string | undefined>(minute);
  await cache('a', load);
  advanceClock(-3_600_000);
  await cache('a', load);
  expect(reads).toHaveLength(2);
});

it('shares one read between concurrent requests', async () => {
  const { reads, load } = counted();
  const cache = instanceCache<string | undefined>(minute);
  expect(await Promise.all([cache('a', load), cache('a', load), cache('b', load)])).toEqual(['a', 'a', 'b']);
  expect(reads).toEqual(['a', 'b']);
});

it('does not cache a failure, and rejects all concurrent requests with it', async () => {
  let broken = true;
  const { reads, load } = counted(async (key) => {
    if (broken) throw new Error('down');
    return key;
  });
  const cache = instanceCache<string | undefined>(minute);
  const answers = await Promise.allSettled([cache('a', load), cache('a', load)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await cache('a', load)).toBe('a');
  expect(reads).toHaveLength(2);
});

it('is bounded, and evicts the least recently used entry', async () => {
  const { reads, load } = counted();
  const cache = instanceCache<string | undefined>(minute);
  for (let index = 0; index < 100; index++) {
    await cache('hot', load);
    await cache(`unknown ${index}`, load);
  }
  expect(reads.filter((key) => key === 'hot')).toHaveLength(1);
  await cache('unknown 0', load);
  expect(reads.filter((key) => key === 'unknown 0')).toHaveLength(2);
});
