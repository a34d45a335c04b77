/** Files of custom rules: each problem with its line and field, and the result of a valid file. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../shared/importers/entry.ts';
import { parseJsonLines } from '../../shared/importers/rules/read.ts';
import { getBase, getHead, importFiles, listEntries, ofKind } from '../fixtures/imports/harness.ts';

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

const fileWith = (changes: object): string => JSON.stringify({ ...file, ...changes });
const withRule = (changes: object): string => fileWith({ rules: [{ ...rule, ...changes }] });

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

describe('parsed JSON', () => {
  it('equals the result of JSON.parse, with the line on which each value begins', () => {
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
});

describe('a file with an invalid shape', () => {
  it('is rejected with the line and field of each problem', async () => {
    const text = `{
      "state": "MN",
      "sources": { "ruling": "short" },
      "rules": [
        { "id": "Books",
          "ptcs": ["DIGITAL.EBOKS"],
          "efect": {},
          "effect": { "type": "exemt" },
          "from": "2026-02-30",
          "source": 1 }
      ]
    }`;
    const problems = await readProblems(text);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      '3 sources.ruling',
      '5 rules[0].id',
      '6 rules[0].ptcs[0]',
      '7 rules[0].efect',
      '8 rules[0].effect.type',
      '9 rules[0].from',
      '10 rules[0].source',
    ]);
    expect(problems.join('\n')).toContain('Send DIGITAL.EBOOKS, the nearest product tax code.');
    expect(problems.join('\n')).toContain('Unknown field. Did you mean effect?');
    expect(problems.join('\n')).toContain('Unknown name exemt. Did you mean exempt? Use one of any_taxable, band,');
  });

  for (const [text = '', ...expected] of [
    ['[]', '1 Use an object with `state`'],
    [fileWith({ state: undefined }), '1 state: The field is missing. Use the two-letter code'],
    [fileWith({ state: 'WI' }), '1 state: The file is for "WI", but --state is MN'],
    [fileWith({ rate: [] }), '1 rate: Unknown field. Did you mean rates?'],
    [fileWith({ sources: { ruling: '           ' } }), '1 sources.ruling: Use a citation of at least 10'],
    [withRule({ effect: undefined }), '1 rules[0].effect: The field is missing.'],
    [withRule({ effect: {} }), '1 rules[0].effect.type: The field is missing. Use one of any_taxable'],
    [
      withRule({ effect: { type: 'exempt', rate: '0' } }),
      '1 rules[0].effect.rate: Unknown field. The fields are type.',
    ],
    [withRule({ effect: { type: 'rate', rate: '6.5' } }), '1 rules[0].effect.rate: Use a fraction as a string'],
    [withRule({ effect: { type: 'rate', rate: 0.065 } }), '1 rules[0].effect.rate: Use a fraction as a string'],
    [
      withRule({ effect: { type: 'threshold_cliff', amont: '110', inclusive: true } }),
      '1 rules[0].effect.amount: The field is missing. Use an amount as a string',
      '1 rules[0].effect.amont: Unknown field. Did you mean amount?',
    ],
    [
      withRule({ effect: { type: 'band', above: '20', to: '10', rate: '0.01' } }),
      '1 rules[0].effect: `to` must be greater than `above`.',
    ],
    [
      withRule({ effect: { type: 'use_split', business: { type: 'exempt' }, personal: { type: 'holiday' } } }),
      '1 rules[0].effect.personal.type: Unknown name holiday. Use one of taxable, exempt, rate.',
    ],
    [withRule({ from: undefined }), '1 rules[0].from: The field is missing. Use a day'],
    [withRule({ ptcs: [] }), '1 rules[0].ptcs: Use at least one of product tax codes'],
    [withRule({ ptcs: ['CLOTHING.APPAREL._FUR'] }), '1 rules[0].ptcs[0]: Use the product tax code alone'],
    [withRule({ attributes: { any: ['_ATHLETC'] } }), '1 rules[0].attributes.any[0]: Use an attribute of'],
    [
      withRule({
        effect: {
          type: 'flat_fee',
          amount: '0.50',
          order_minimum: null,
          once_per: 'order',
          base: { also: ['CLOTHING'], never: ['FODO'], shipping: true },
        },
      }),
      '1 rules[0].effect.base.never[0]: ',
    ],
    [withRule({ levels: ['town'] }), '1 rules[0].levels[0]: Use one of state, county, city, district.'],
    [withRule({ season: { from: '06-31', to: '07-01' } }), '1 rules[0].season.from: Use month and day'],
    [withRule({ zips: [['55403', '55401']] }), '1 rules[0].zips[0]: Put the lower ZIP first.'],
    [
      fileWith({ settings: { shipping: [{ policy: 'taxable', ...evidence }] } }),
      '1 settings.shipping[0].policy: Use one of follows_goods',
    ],
    [
      fileWith({ settings: { rounding: [{ policy: { method: 'up' }, ...evidence }] } }),
      '1 settings.rounding[0].policy.method: Unknown name up. Use one of half_up, bracket.',
    ],
    [
      fileWith({ settings: { coupons: [{ policy: 'reduces', ...evidence }] } }),
      '1 settings.coupons[0].policy: Use one of reduces_price, full_price.',
    ],
    [
      fileWith({ settings: { coupons: [0, 1].map(() => ({ policy: 'reduces_price', ...evidence })) } }),
      '1 settings.coupons[1]: It overlaps settings.coupons[0] on the same days.',
    ],
    ['{ "state": "MN", "state": "MN" }', '1 state: Write each field once.'],
  ])
    it(`is rejected with ${expected.join(' and ')}`, async () => {
      const problems = await readProblems(text);
      expect(problems).toHaveLength(expected.length);
      for (const one of expected) expect(problems).toContainEqual(expect.stringContaining(one));
    });
});

describe('contradictory values', () => {
  for (const [text = '', expected = ''] of [
    [withRule({ source: 'rulin' }), '1 rules[0].source: `sources` has no rulin. Did you mean ruling?'],
    [withRule({ source: 'constructor' }), '1 rules[0].source: `sources` has no constructor.'],
    [withRule({ to: '2026-12-31' }), '1 rules[0].to: `to` must be on or after 2027-01-01.'],
    [withRule({ id: 'mn-shipping' }), '1 rules[0].id: mn-shipping is the shipping policy'],
    [withRule({ zips: [['53202', '53202']] }), '1 rules[0].zips[0]: 53202 is not a ZIP of MN.'],
    [withRule({ counties: ['55079'] }), '1 rules[0].counties[0]: 55079 is not a county of MN.'],
    [withRule({ jurisdictions: ['US-WI'] }), '1 rules[0].jurisdictions[0]: Use a jurisdiction of US-MN.'],
    [
      withRule({ jurisdictions: ['US-MN-OWN-MAL'] }),
      '1 rules[0].jurisdictions[0]: `jurisdictions` has no US-MN-OWN-MAL. Did you mean US-MN-OWN-MALL?',
    ],
    [fileWith({ rates: [] }), '1 jurisdictions[0]: Use a rate of US-MN-OWN-MALL in `rates`'],
    [
      fileWith({ jurisdictions: [mall, { ...mall, zips: [['55404', '55404']] }] }),
      '1 jurisdictions[1].code: Use each code only once.',
    ],
    [
      fileWith({ rules: [rule, { ...rule, levels: ['city'], from: '2028-01-01' }] }),
      '1 rules[1]: It has the same id as rules[0] on the same days.',
    ],
    [
      fileWith({ rates: [rate, { ...rate, rate: '0.01' }] }),
      '1 rates[1]: It has the same jurisdiction as rates[0] on the',
    ],
    [
      fileWith({
        jurisdictions: [{ ...mall, code: 'US-MN-01-43000' }],
        rates: [{ ...rate, jurisdiction: 'US-MN-01-43000' }],
      }),
      '1 jurisdictions[0].code: Use a custom code, which begins with US-MN-OWN-.',
    ],
  ])
    it(`are rejected with ${expected}`, async () => {
      expect(await readProblems(text)).toEqual([expect.stringContaining(expected)]);
    });

  it('are accepted for consecutive periods, and an id can be shared between levels', async () => {
    const first = { ...rule, to: '2027-12-31', levels: ['state'] };
    const rules = [first, { ...first, levels: ['city'] }, { ...rule, from: '2028-01-01' }];
    expect(await readProblems(fileWith({ rules }))).toEqual([]);
  });
});

describe('a valid file', () => {
  it('matches the example in the manual', async () => {
    const manual = readFileSync(new URL('../../shared/cli/content/README.md', import.meta.url), 'utf8');
    const example = /## Custom rules[\s\S]*?```json\n(?<json>[\s\S]*?)```/.exec(manual)?.groups?.['json'] ?? '';
    expect(await readProblems(example)).toEqual([]);
  });

  it('is imported as custom rules that cite their sources, without parts', async () => {
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

  it('removes the custom rules if it is empty; an invalid file changes nothing', async () => {
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
