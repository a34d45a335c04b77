import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the module of a file: a folder of `shared`, or `functions` or `infra`. */
const getRoom = (path: string): string => {
  const [top = '', room = ''] = path.split('/');
  return top === 'shared' ? room : top;
};

/** Every import from another module, as `from > to`. */
const imports = (): Set<string> => {
  const found = new Set<string>();
  for (const path of globSync('{shared,functions,infra}/**/*.{ts,tsx}', { cwd: root }))
    for (const [, target = ''] of readFileSync(`${root}${path}`, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const [from, to] = [getRoom(path), getRoom(join(dirname(path), target))];
      if (from !== to) found.add(`${from} > ${to}`);
    }
  return found;
};

it('has no import cycle between modules, except for the type of a rule effect', () => {
  const found = imports();
  expect(found.size).toBeGreaterThan(100);
  const mutual = [...found].filter((edge) => found.has(edge.split(' > ').reverse().join(' > '))).sort();
  // A release contains rules, whose effects the tax core defines.
  expect(mutual).toEqual(['catalog > tax', 'tax > catalog']);
});
