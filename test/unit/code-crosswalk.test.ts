/** The crosswalk as people edit it, read by another parser than the one that packs it. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../shared/vocabulary/catalog.ts';
import { crosswalk, crosswalkRows } from '../../shared/vocabulary/crosswalk.ts';
import { parseProductTaxCode } from '../../shared/vocabulary/product-tax-code.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };

const read = (name: string): Record<string, string>[] =>
  parse(readFileSync(new URL(`../../shared/vocabulary/${name}`, import.meta.url), 'utf8'), { columns: true });
const rows = read('code-crosswalk.csv');
const sources = read('code-crosswalk-sources.csv');
const families = new Set(productTaxCodes.map(({ code }) => code.split('.')[0]));
const keys = (columns: readonly string[]) => rows.map((row) => columns.map((column) => row[column]).join(' '));

/** The patterns of their codes. */
const shapes: Record<string, RegExp> = {
  stripe: /^txcd_\d{8}$/,
  taxjar: /^(\d{5}|\d{8}A\d{4})$/,
  avalara: /^([A-Z]{1,2}\d{6,7}|[A-Z]{2})$/,
};

describe('code-crosswalk.csv', () => {
  it('has the columns of its layout, and each system', () => {
    expect(Object.keys(rows[0] ?? {})).toEqual(['system', 'code', 'levy_code', 'match', 'confidence', 'source']);
    expect([...new Set(rows.map(({ system }) => system))]).toEqual(Object.keys(shapes));
  });

  it('has codes in the form of their system', () => {
    expect(rows.filter(({ system = '', code = '' }) => !shapes[system]?.test(code))).toEqual([]);
  });

  it('names a family for a general code, and else a product tax code that is accepted with its attributes', () => {
    const isRight = ({ match, levy_code = '' }: Record<string, string>) =>
      match === 'family' ? families.has(levy_code) : parseProductTaxCode(levy_code).ok;
    expect(rows.filter((row) => !isRight(row))).toEqual([]);
    // Full paths only: what `equivalents` are grouped by.
    const paths = new Set(productTaxCodes.map(({ code }) => code));
    const others = rows.filter(({ match }) => match !== 'family');
    expect(others.filter(({ levy_code = '' }) => !paths.has(levy_code.split('._')[0] ?? ''))).toEqual([]);
  });

  it('has no product tax code twice for a code of theirs', () => {
    const pairs = rows.map(({ system, code, levy_code = '' }) => `${system} ${code} ${levy_code.split('._')[0]}`);
    expect(pairs.filter((pair, index) => pairs.indexOf(pair) !== index)).toEqual([]);
  });

  it('has no code of two systems: a hint names one', () => {
    const systems = Map.groupBy(rows, ({ code = '' }) => code.toUpperCase());
    const shared = [...systems].filter(([, all]) => new Set(all.map(({ system }) => system)).size > 1);
    expect(shared).toEqual([]);
  });

  it('marks a code as general or has a known match value', () => {
    const isKnown = (match = '') => ['exact', 'broader', 'narrower', 'family'].includes(match);
    expect(rows.filter(({ match }) => !isKnown(match))).toEqual([]);
    const general = new Set(rows.filter(({ match }) => match === 'family').map(({ code }) => code));
    expect(rows.filter(({ code, match }) => general.has(code) && match !== 'family')).toEqual([]);
  });

  it('rests on sources of the system that it lists, and on none of low confidence', () => {
    expect(rows.filter(({ confidence = '' }) => !['high', 'medium'].includes(confidence))).toEqual([]);
    const known = new Set(sources.map(({ source, system }) => `${system} ${source}`));
    expect(new Set(keys(['system', 'source']))).toEqual(known);
    expect(known.size).toBe(sources.length);
    for (const { title } of sources) expect(title).not.toBe('');
  });

  it('is what the functions carry', () => {
    expect(crosswalk().map((row) => Object.values(row).join(' '))).toEqual(
      keys(['system', 'code', 'levy_code', 'match']),
    );
  });
});

describe('crosswalkRows', () => {
  it('finds a code in upper and lower case, and none that is not there', () => {
    expect(crosswalkRows('20010').map(({ levyCode }) => levyCode)).toEqual(['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']);
    expect(crosswalkRows('pc040100')).toEqual(crosswalkRows('PC040100'));
    expect(crosswalkRows('PC040100')).toHaveLength(1);
    expect(crosswalkRows('TXCD_99999999')).toEqual(crosswalkRows('txcd_99999999'));
    expect(crosswalkRows('txcd_12345678')).toEqual([]);
    expect(crosswalkRows('')).toEqual([]);
  });
});

describe('the catalog', () => {
  it('lists every product tax code once, sorted by code, with its own texts and family', () => {
    const expected = productTaxCodes
      .map(({ code, ...texts }) => ({ code, ...texts, family: code.split('.')[0], object: 'product_tax_code' }))
      .sort((a, b) => (a.code < b.code ? -1 : 1));
    expect(catalog().map(({ equivalents: _, taxability: __, ...item }) => item)).toEqual(expected);
  });

  it('has every row of the crosswalk but the general codes as an equivalent of its code', () => {
    const listed = catalog().flatMap(({ code, equivalents }) =>
      equivalents.map((equivalent) => `${equivalent.system} ${equivalent.code} ${code} ${equivalent.match}`),
    );
    const expected = rows
      .filter(({ match }) => match !== 'family')
      .map(({ system, code, levy_code, match }) => `${system} ${code} ${levy_code?.split('._')[0]} ${match}`);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });
});
