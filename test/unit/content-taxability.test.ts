import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newestBuiltInReleases } from '../../shared/content/built-in.ts';
import type { Release, Rule } from '../../shared/content/release.ts';
import type { Jurisdiction } from '../../shared/content/release-values.ts';
import { type TaxabilityRow, taxabilityRows } from '../../shared/content/taxability/read-rows.ts';
import { openRowsText, withTaxabilityRows } from '../../shared/content/taxability/releases.ts';
import { isFromRow } from '../../shared/content/taxability/rules.ts';
import { chooseRule, shippingRule } from '../../shared/tax/rule-choice.ts';
import codes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { productOf } from '../support/builders.ts';

const releases = newestBuiltInReleases();
const read = withTaxabilityRows(releases);
const byState = new Map(releases.map((release) => [release.state.slice(3), release]));
const rows = taxabilityRows();
const keyOf = (row: TaxabilityRow) => JSON.stringify(row);
const open = new Set(read.flatMap((one) => one.open.map(({ row }) => keyOf(row))));

const dayIn = ({ from, to }: TaxabilityRow): string => from || to || '2026-11-26';
const productOfRow = ({ code, attributes }: TaxabilityRow) =>
  productOf([code, ...attributes.split('+').filter((one) => one.startsWith('_'))].join('.'));

const effectIn = (release: Release, jurisdiction: Jurisdiction, row: TaxabilityRow): Rule['effect'] | undefined =>
  chooseRule(
    release,
    jurisdiction,
    productOfRow(row),
    dayIn(row),
    ({ effect, season }) => effect.type !== 'holiday' && !season,
  )?.effect;

/** What a row says of the state and of a city, read from the table by itself. */
const saidOf = ({ treatment, state_rate, local }: TaxabilityRow) => {
  const state =
    treatment === 'rate' ? { type: 'rate', rate: Number((Number(state_rate) / 100).toFixed(6)) } : { type: treatment };
  const ofGoods = { type: treatment === 'exempt' ? 'exempt' : 'taxable' };
  return { state, local: local === 'full' ? { type: 'taxable' } : local === 'none' ? { type: 'exempt' } : ofGoods };
};
const numeric = (effect: Rule['effect'] | undefined) =>
  effect?.type === 'rate' ? { type: 'rate', rate: Number(effect.rate) } : effect && { type: effect.type };

describe('the tables of taxability', () => {
  it('are in the releases: `npm run content -- taxability --write` changes nothing', () => {
    expect(releases).toEqual(read.map(({ release }) => release));
    const listed = new URL('../../shared/content/taxability/open-rows.csv', import.meta.url);
    expect(readFileSync(listed, 'utf8')).toBe(openRowsText(read));
  });

  it('decide each product of a row that is a rule, in the state and in a city', () => {
    const wrong: string[] = [];
    for (const row of rows.filter((one) => !open.has(keyOf(one)))) {
      const release = byState.get(row.state) as Release;
      const { state, local } = saidOf(row);
      const [ofState] = release.jurisdictions;
      const city = { code: `${release.state}-01-99999`, name: 'A city', type: 'city', tax_type: 'sales' } as const;
      const found = { state: numeric(effectIn(release, ofState, row)), local: numeric(effectIn(release, city, row)) };
      const isOwn = ['AL', 'AZ', 'CO', 'IL', 'LA'].includes(row.state);
      // Florida and Tennessee cap the price that local taxes are on, for goods by rules of their own.
      const ownCity = chooseRule(
        { ...release, rules: release.rules.filter((rule) => !isFromRow(rule)) },
        city,
        productOfRow(row),
        dayIn(row),
      );
      const isCapped = local.type === 'taxable' && ownCity?.effect.type === 'base_cap';
      const said = { state, local: isOwn ? undefined : isCapped ? { type: 'base_cap' } : local };
      if (JSON.stringify(found) !== JSON.stringify(said))
        wrong.push(`${row.state} ${row.code} ${row.attributes} ${dayIn(row)}: ${JSON.stringify({ found, said })}`);
    }
    expect(wrong).toEqual([]);
  });

  it('change no product that a row of low confidence is about', () => {
    const low = rows.filter(
      (row) => row.confidence === 'low' && open.has(keyOf(row)) && !row.code.startsWith('TOPIC:'),
    );
    const decided = low.filter((row) => {
      const release = byState.get(row.state) as Release;
      const rule = chooseRule(release, release.jurisdictions[0], productOfRow(row), dayIn(row));
      return rule !== undefined && isFromRow(rule);
    });
    expect(low.length).toBeGreaterThan(300);
    expect(decided.map(keyOf)).toEqual([]);
  });

  it('give most product tax codes a rule in most states with a sales tax', () => {
    const taxing = releases.filter(({ state }) => rows.some((row) => `US-${row.state}` === state));
    const cells = taxing.flatMap((release) => codes.map(({ code }) => ({ release, product: productOf(code) })));
    const ruled = cells.filter(({ release, product }) => {
      const [state] = release.jurisdictions;
      const rule = chooseRule(release, state, product, '2026-11-26') ?? shippingRule(release, product, '2026-11-26');
      return rule !== undefined && rule.confidence !== 'low';
    });
    expect(cells.length).toBe(47 * codes.length);
    expect(ruled.length / cells.length).toBeGreaterThan(0.83);
  });
});
