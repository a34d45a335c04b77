/** Files of custom rules: each problem with its line and field, and the result of a valid file. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../shared/importers/importer.ts';
import { parseJsonLines } from '../../shared/importers/rules/read.ts';
import { getBase, getHead, importFiles, listEntries, ofKind } from '../fixtures/imports/harness.ts';
import { readCases } from '../support/facts.ts';

const read = (text: string): Promise<Entry[]> => listEntries('rules', 'MN', [{ name: 'own.json', content: text }]);

/** Returns the problems of a file as `line field: message`. */
const readProblems = async (text: string): Promise<readonly string[]> => {
  const entries = await read(text);
  expect(ofKind(entries, 'own')).toHaveLength(ofKind(entries, 'bad').length > 0 ? 0 : 1);
  return ofKind(entries, 'bad').map(({ line, reason }) => `${line} ${reason}`);
};

const ruling = { ruling: 'Minnesota Department of Revenue, letter ruling 24-001' };
const evidence = { from: '2027-01-01', source: 'ruling' };
const rule = { id: 'mn-books', ptcs: ['DIGITAL.EBOOKS'], effect: { type: 'exempt' }, ...evidence };
const rate = { jurisdiction: 'US-MN-OWN-MALL', rate: '0.005', ...evidence };
const mall = { code: 'US-MN-OWN-MALL', name: 'Mall district', type: 'district', zips: [['55401', '55403']] };
const file = { state: 'MN', sources: ruling, jurisdictions: [mall], rates: [rate], rules: [rule] };

/** Changes fields of an object. `null` removes a field, as in a JSON merge patch. */
const patch = (target: object, changes: object): object =>
  Object.fromEntries(Object.entries({ ...target, ...changes }).filter(([, value]) => value !== null));
const fileWith = (changes: object): string => JSON.stringify(patch(file, changes));

/** Files with changes of the whole file or of its rule, and the problems that each must have. */
type Refused = { text?: string; file?: object; rule?: object; problems: readonly string[] };
const refused = readCases<Refused>(
  JSON.parse(readFileSync(new URL('../fixtures/imports/rules-problems.json', import.meta.url), 'utf8')),
  { required: ['problems'], oneOf: ['text', 'file', 'rule'] },
);

describe('the JSON parser', () => {
  it.each([
    ['{\n  "state": "MN",\n}', 'line 3, column 1: expected a field name in double quotes.'],
    ['{\n  "state": "MN"\n  "rules": []\n}', 'line 3, column 3: expected "," or "}".'],
    ['// own\n{}', 'line 1, column 1: expected a value.'],
    ['', 'line 1, column 1: expected a value.'],
    [`\n${'['.repeat(21)}\n1${']'.repeat(21)}`, 'line 3: values are nested more than 20 deep.'],
  ])('rejects %j with its line', async (text, message) => {
    await expect(read(text)).rejects.toThrow(`own.json, ${message}`);
  });

  it('rejects a file that is not UTF-8 or too large', async () => {
    const latin = Buffer.from('{ "state": "Ma\u00f1ana" }', 'latin1');
    const importing = (content: Buffer | string) => listEntries('rules', 'MN', [{ name: 'own.json', content }]);
    await expect(importing(latin)).rejects.toThrow('own.json is not UTF-8 text.');
    await expect(importing(' '.repeat(500_001))).rejects.toThrow('own.json is 500001 bytes');
  });
});

it('returns the same as JSON.parse, with the line on which each value begins', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
      const value: unknown = JSON.parse(json);
      const text = JSON.stringify(value, null, indent);
      expect(parseJsonLines(text, 'f').value).toEqual(value);
    }),
    { numRuns: 300 },
  );
  const lines = Array.from({ length: 50 }, (_, index) => ({ key: `line ${2 + 3 * index + 1}` }));
  const { getLine } = parseJsonLines(JSON.stringify(lines, null, 1), 'f');
  for (const [index, { key }] of lines.entries()) expect(`line ${getLine([index, 'key'])}`).toBe(key);
  expect(getLine([3, 'missing'])).toBe(getLine([3]));
});

describe('files with invalid or contradictory values', () => {
  for (const { text, file: changes = {}, rule: ofRule, problems } of refused)
    it(`rejects a file with ${problems.join(' and ')}`, async () => {
      const found = await readProblems(text ?? fileWith(ofRule ? { rules: [patch(rule, ofRule)] } : changes));
      expect(found).toEqual(problems.map((one) => expect.stringContaining(one)));
    });
});

describe('valid files', () => {
  it('accepts consecutive periods, and one id for several levels', async () => {
    const first = { ...rule, to: '2027-12-31', levels: ['state'] };
    const rules = [first, { ...first, levels: ['city'] }, { ...rule, from: '2028-01-01' }];
    expect(await readProblems(fileWith({ rules }))).toEqual([]);
  });

  it('matches the example in the manual', async () => {
    const manual = readFileSync(new URL('../../shared/cli/content/README.md', import.meta.url), 'utf8');
    const example = /## Custom rules[\s\S]*?```json\n(?<json>[\s\S]*?)```/.exec(manual)?.groups?.['json'] ?? '';
    expect(await readProblems(example)).toEqual([]);
  });

  it('imports a file as custom rules that cite their sources, without parts', async () => {
    const [entry] = ofKind(await read(JSON.stringify(file)), 'own');
    const cited = { from: '2027-01-01', to: null, source: 'own:ruling', confidence: 'high' };
    expect(entry?.own).toEqual({
      sources: { 'own:ruling': ruling.ruling },
      jurisdictions: [{ ...mall, tax_type: 'sales' }],
      rates: [{ jurisdiction: 'US-MN-OWN-MALL', rate: '0.005', ...cited }],
      rules: [
        {
          id: 'mn-books',
          ptcs: ['DIGITAL.EBOOKS'],
          effect: { type: 'exempt' },
          levels: null,
          attributes: { any: [], none: [] },
          ...cited,
        },
      ],
      settings: { sourcing: [], shipping: [], rounding: [], coupons: [] },
    });
    const head = getHead(await importFiles('rules', 'MN', [{ name: 'own.json', content: JSON.stringify(file) }]));
    expect(head).toMatchObject({ format: 'rules', own: entry?.own, rules: getBase('MN').rules, counts: { parts: 0 } });
  });

  it('puts the sourcing of some products before the sourcing of all others', async () => {
    const sourcing = [
      { policy: 'origin', from: '2027-01-01', source: 'ruling' },
      { policy: 'destination', ptcs: ['TELECOM'], from: '2027-01-01', source: 'ruling' },
    ];
    const [entry] = ofKind(await read(fileWith({ settings: { sourcing } })), 'own');
    expect(entry?.own?.settings.sourcing.map(({ policy }) => policy)).toEqual(['destination', 'origin']);
  });

  it('reports the rules that it replaces, and codes that no table has', async () => {
    const text = fileWith({
      rules: [{ ...rule, id: 'mn-clothing' }],
      rates: [rate, { ...rate, jurisdiction: 'US-MN-01-99999' }, { ...rate, jurisdiction: 'US-MN-00-053' }],
    });
    expect(ofKind(await read(text), 'remark').map(({ reason }) => reason)).toEqual([
      "US-MN-01-99999 is not in Levy's tables: the rate applies only if an imported file has this code",
      'rule mn-clothing replaces the built-in rule with this id on its days',
    ]);
  });

  it('removes the custom rules if the file is empty, and changes nothing if it is invalid', async () => {
    const { own } = getHead(await importFiles('rules', 'MN', [{ name: 'own.json', content: JSON.stringify(file) }]));
    const position = { below: 'US-MN@2026-11-22.101', chain: [], bottom: 'US-MN@2026-11-22.1', ...(own && { own }) };
    const importing = (content: string, over = {}) =>
      importFiles('rules', 'MN', [{ name: 'own.json', content }], over).then(({ built }) => built);
    const empty = await importing('{ "state": "MN" }', { position });
    expect(empty.outcome === 'built' && empty.head.own).toBe(undefined);
    expect(empty.summary.notes).toEqual([
      'Withdrawn: Rule mn-books (DIGITAL.EBOOKS): exempt, from 2027-01-01.',
      'Withdrawn: Rate of Mall district (US-MN-OWN-MALL): 0.5%, from 2027-01-01, in ZIPs 55401 to 55403.',
    ]);
    expect((await importing('{ "state": "MN" }')).outcome).toBe('nothing');
    expect((await importing('{ "state": "WI" }', { position })).outcome).toBe('nothing');
  });
});
