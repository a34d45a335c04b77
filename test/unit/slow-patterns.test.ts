/** No input from a publisher, a file or a request makes a regular expression slow. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { importable } from '../../shared/importers/updates/publishers.ts';
import { root } from '../support/child-process.ts';
import { isSlow, patternsIn } from '../support/slow-patterns.ts';

describe('isSlow', () => {
  it.each([
    /a+$/,
    /\s*%$/,
    /\s*\((?<county>.*)\)$/,
    /^(?<name>.+?)\s*\(\d{4}\)$/,
    /^([A-Z]*)0*(\d+)$/,
    /(?<=.)(CITY|TOWN)+$/,
    /^x*x*$/,
    /^(a|a)*$/,
    /^(a*)*$/,
    /^(a|ab|b)*c/,
    /^("?)[^"]*\1$/,
    /(?=.*a)b/,
  ])('finds %s', (pattern) => expect(isSlow(pattern)).toBe(true));

  it.each([
    /^a+$/,
    /[^A-Z]+/g,
    /^\d+(?:\.\d+)?$/,
    /"[^"]*"/,
    /a{2,4}b/,
    /^(?:ab)*a$/,
    /^[\w.]+@[\w.]+$/,
    /(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)/,
  ])('does not find %s', (pattern) => expect(isSlow(pattern)).toBe(false));
});

it('finds the regular expressions of a TypeScript file', () => {
  const text =
    "const a: RegExp = /x[/']y/g; // /no/\nconst b = `/no/$" + '{c / d / 2n}$' + "{e(/[`}]/)}`; i('/no/').split(/j/);";
  expect(patternsIn(text).map(String)).toEqual(["/x[/']y/g", '/[`}]/', '/j/']);
});

/** False positives of the check, and patterns that only read short strings written by Levy. */
const exempt: Readonly<Record<string, string>> = {
  '/;\\s*charset\\s*=\\s*("?)([^";]*)\\1/gi': 'each attempt begins at a semicolon and ends before the next',
  '/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[[\\]{}:,\\n]|[^\\s[\\]{}:,]+/g':
    'the text was parsed as JSON, so that every string ends',
  '/0+$/': 'reads the digits of an amount of Levy (shared/money/decimal.ts)',
};

describe('regular expressions for untrusted input', () => {
  // Excluded: files whose regular expressions only match Levy's own output. Commands that read files are included.
  const own = /^shared\/(?:cli\/(?!ledger\/|customers\/)|console\/|docs\/|client\/)/;
  const files = globSync('{shared,functions}/**/*.ts', { cwd: root }).filter((path) => !own.test(path));

  it('takes linear time', () => {
    const patterns = files.flatMap((path) =>
      patternsIn(readFileSync(`${root}${path}`, 'utf8')).map((pattern) => ({ path, pattern })),
    );
    expect(patterns.length).toBeGreaterThan(200);
    const slow = patterns.filter(({ pattern }) => isSlow(pattern));
    expect(slow.filter(({ pattern }) => !Object.hasOwn(exempt, String(pattern)))).toEqual([]);
    expect(new Set(slow.map(({ pattern }) => String(pattern)))).toEqual(new Set(Object.keys(exempt)));
  });

  it('takes linear time if it is built from strings', async () => {
    const made: RegExp[] = [];
    const record = new Proxy(RegExp, {
      construct: (target, [source, flags]) => {
        const pattern = new target(source, flags);
        made.push(pattern);
        return pattern;
      },
    });
    const makers = files.filter((path) => /new RegExp\(/.test(readFileSync(`${root}${path}`, 'utf8')));
    // Loads the libraries, whose patterns are not recorded. With a query string, a loaded module is loaded again.
    for (const path of makers) await import(`${root}${path}`);
    vi.stubGlobal('RegExp', record);
    for (const path of makers) await import(`${root}${path}?patterns`);
    vi.unstubAllGlobals();
    for (const { files } of importable)
      for (const file of files) if ('pattern' in file) made.push(new RegExp(file.pattern, 'i'));
    expect(made.length).toBeGreaterThan(10);
    expect(made.filter(isSlow)).toEqual([]);
  });
});
