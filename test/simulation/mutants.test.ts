import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { isLong } from '../support/mode.ts';
import { mutants } from './mutants.ts';
import { inWords, search } from './pool.ts';

it('replaces a text that occurs exactly once in the service with every seeded bug', () => {
  const shared = new URL('../../shared/', import.meta.url);
  const names = readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const source = names.map((name) => readFileSync(new URL(name, shared), 'utf8')).join('\n');
  const others = Object.entries(mutants).filter(([, patches]) =>
    patches.some(({ find }) => source.split(find).length !== 2),
  );
  expect(others.map(([name]) => name)).toEqual([]);
});

if (isLong)
  test.for(Object.keys(mutants))('finds within 5,000 schedules of its kind: %s', { timeout: 600_000 }, async (mutant) =>
    expect(inWords(await search(mutant), mutant)).not.toBe(''),
  );
