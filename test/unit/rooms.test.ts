import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { root } from '../support/child-process.ts';

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

it('contains no import cycle between modules, except for the type of a rule effect', () => {
  const found = imports();
  expect(found.size).toBeGreaterThan(100);
  const mutual = [...found].filter((edge) => found.has(edge.split(' > ').reverse().join(' > '))).sort();
  // A release contains rules, whose effects the tax core defines.
  expect(mutual).toEqual(['catalog > tax', 'tax > catalog']);
});

/** Returns the modules that a module loads at its start, without dynamic imports and types. */
const loadedBy = (path: string, found = new Set<string>()): Set<string> => {
  if (found.has(path)) return found;
  found.add(path);
  const source = readFileSync(`${root}${path}`, 'utf8');
  for (const [, target = ''] of source.matchAll(/^(?:im|ex)port (?!type )[^;]*?'(\.[^']+\.tsx?)'/gm))
    loadedBy(join(dirname(path), target), found);
  return found;
};

it('does not import the environment in scripts that set the variables of an emulator', () => {
  const setsVariables = /^ *Object\.assign\(process\.env, emulatorEnvironment\(/m;
  const scripts = globSync('{infra,shared,test}/**/*.ts', { cwd: root }).filter((path) =>
    setsVariables.test(readFileSync(`${root}${path}`, 'utf8')),
  );
  expect(scripts).toContain('test/bench/bench.ts');
  expect(scripts.filter((path) => loadedBy(path).has('shared/config/environment.ts'))).toEqual([]);
});
