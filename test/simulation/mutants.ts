import { readFileSync } from 'node:fs';
import type { Patch } from './platform.ts';

/** A bug, with the schedules that can detect it: all, or those about filings, with redactions, or varied. */
type Mutant = { readonly kind: 'ledger' | 'filings' | 'redactions' | 'varied'; readonly patches: readonly Patch[] };

/** Reads patches: lines that begin with `-` are replaced by the following ones that begin with `+`. */
const readPatches = (lines: readonly string[]): readonly Patch[] => {
  const patches: { readonly find: string[]; readonly replace: string[] }[] = [];
  lines.forEach((line, at) => {
    const isFound = line.startsWith('-');
    if (isFound && !lines[at - 1]?.startsWith('-')) patches.push({ find: [], replace: [] });
    patches.at(-1)?.[isFound ? 'find' : 'replace'].push(line.slice(1));
  });
  return patches.map(({ find, replace }) => ({ find: find.join('\n'), replace: replace.join('\n') }));
};

const [, ...blocks] = readFileSync(new URL('mutants.diff', import.meta.url), 'utf8')
  .trimEnd()
  .split(/\n\n# /);

/** Seeded bugs by name, each a change of the service's source, which the simulation must detect. */
export const mutants: Readonly<Record<string, Mutant>> = Object.fromEntries(
  blocks.map((block) => {
    const [title = '', ...lines] = block.split('\n');
    const [kind, name] = title.split(': ') as [Mutant['kind'], string];
    return [name, { kind, patches: readPatches(lines) }];
  }),
);
