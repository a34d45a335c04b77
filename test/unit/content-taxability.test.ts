import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import type { Release, Rule } from '../../shared/catalog/release.ts';
import type { Jurisdiction } from '../../shared/catalog/release-values.ts';
import { type TaxabilityRow, taxabilityRows } from '../../shared/importers/taxability/rows.ts';
import { buildReleases } from '../../shared/importers/taxability/rules.ts';
import { chooseRule, shippingRule } from '../../shared/tax/rule-choice.ts';
import { findProduct } from '../../shared/vocabulary/product-tax-code.ts';
import codes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { getProduct } from '../support/builders.ts';

const releases = builtInReleases();
const read = buildReleases();
const byState = new Map(releases.map((release) => [release.state.slice(3), release]));
const rows = taxabilityRows();
const getKey = (row: TaxabilityRow) => JSON.stringify(row);
const open = new Set(read.flatMap((one) => one.open.map(({ row }) => getKey(row))));
const getFile = (name: string) => readFileSync(new URL(`../../shared/importers/taxability/${name}`, import.meta.url));
type Condition = { condition: string; treatment: string; answer: string; assumption: string; states?: string };
const conditions: Condition[] = parse(getFile('conditions.csv'), { columns: true });

const dayIn = ({ from, to }: TaxabilityRow): string => from || to || '2026-11-26';
const productOfRow = ({ code, attributes }: TaxabilityRow) =>
  getProduct([code, ...attributes.split('+').filter((one) => one.startsWith('_'))].join('.'));

const isLasting = ({ effect, season }: Rule) => effect.type !== 'holiday' && !season;
const ruleFor = (release: Release, jurisdiction: Jurisdiction, row: TaxabilityRow, rules = release.rules) =>
  chooseRule({ ...release, rules }, jurisdiction, productOfRow(row), dayIn(row), isLasting);
const byHand = (release: Release) => release.rules.filter(({ source }) => !source.startsWith('taxability-'));

const amounts = ['rate', 'amount', 'percent', 'cap', 'first_rate', 'reduced_below', 'reduced_rate'];

/** Formats an effect as its type and amounts. If they depend on the use, the use of the row applies. */
const getFigures = (effect: Rule['effect'] | undefined, row: TaxabilityRow): string => {
  if (effect?.type === 'use_split') {
    const { business, personal, unknown } = effect;
    if (row.attributes.includes('_BUSINESS_USE')) return getFigures(business, row);
    return getFigures(row.attributes.includes('_PERSONAL_USE') ? personal : unknown, row);
  }
  // Without a rule, the treatment is not established.
  if (!effect) return 'not_established';
  const { type, ...fields } = effect;
  const figures = Object.entries(fields).filter(([key]) => amounts.includes(key) || key === 'total');
  return [type, ...figures.map(([key, value]) => `${key}=${value === true ? value : Number(value)}`).sort()].join(' ');
};

const percent = (text: string) => Number((Number(text) / 100).toFixed(6));
const stateRate = ({ state, state_rate }: TaxabilityRow) => {
  const rates = (byState.get(state) as Release).rates.filter(
    ({ jurisdiction, to }) => jurisdiction === `US-${state}` && !to,
  );
  return state_rate === '' ? Number(rates[0]?.rate) : percent(state_rate);
};

/** Returns the treatment of a row in the state, as an effect in the form of `getFigures`. */
const inState = (row: TaxabilityRow): string => {
  const { treatment, condition, state, confidence } = row;
  if (confidence === 'low' || treatment === 'unknown') return 'not_established';
  const same = conditions.filter((one) => one.condition === condition && one.treatment === treatment);
  const known = same.find(({ states }) => states?.split('+').includes(state)) ?? same.find(({ states }) => !states);
  const [answer, ...fields] = condition === '' ? ['as_row'] : (known?.answer ?? 'open').split(' ');
  switch (answer) {
    case 'as_row':
      if (treatment === 'rate') return `rate rate=${stateRate(row)}`;
      if (treatment === 'not_sales_tax') return 'other_tax';
      return treatment;
    case 'open':
      return 'not_established';
    case 'local_cap':
      return treatment === 'rate' ? `rate rate=${stateRate(row)}` : 'taxable';
    default: {
      const figures = fields.filter((field) => !field.startsWith('inclusive=')).sort();
      const withRate = figures.map((field) => {
        const [name, value = ''] = field.split('=');
        const [, points] = /^own(?:\+(.+))?$/.exec(value) ?? [];
        if (value === 'true') return field;
        return `${name}=${value.startsWith('own') ? Number((stateRate(row) + Number(points ?? 0)).toFixed(6)) : Number(value)}`;
      });
      return [answer, ...withRate].join(' ');
    }
  }
};

/** Returns the treatment of a row in a city. */
const inCity = (row: TaxabilityRow, state: string): string => {
  const { local, condition, treatment, code } = row;
  const cap = conditions.find((one) => one.condition === condition && one.treatment === treatment)?.answer;
  if (state === 'other_tax') return local === 'full' ? 'taxable' : state;
  const isGoods = vocabulary().fulfillmentByName.get(code) === undefined && !code.startsWith('RENTALS.');
  const isTaxed = ['taxable', 'not_established'].includes(state) && local !== 'none';
  const capped = isGoods && isTaxed ? { FL: '5000', TN: '1600' }[row.state] : undefined;
  if (capped) return `base_cap amount=${capped}`;
  if (state === 'not_established') return state;
  if (local === 'own') return 'not_established';
  if (cap?.startsWith('local_cap amount=')) return `base_cap amount=${Number(cap.slice(17))}`;
  if (local === 'none') return 'exempt';
  // Rates of the state do not apply to local taxes.
  const general = state.replace(/ reduced_.*$/, '');
  return local === 'full' || /^(rate|tax_cap|threshold_rate|tiered_rate) /.test(state) ? 'taxable' : general;
};

describe('the taxability tables', () => {
  it('matches the rules of the packed releases', () => {
    expect(releases).toEqual(read.map(({ release }) => release));
  });

  it('contains no rule with more confidence than a hand-written rule that contradicts it', () => {
    const order = ['low', 'medium', 'medium-high', 'high'];
    const better = read.flatMap(({ release, open: listed }) =>
      listed.flatMap(({ row, reason }) => {
        const rule = release.rules.find(({ id }) => reason === `the release has the rule ${id}`);
        const said = rule && inState(row);
        const differs = said !== undefined && said !== 'not_established' && said !== getFigures(rule?.effect, row);
        return differs && order.indexOf(row.confidence) > order.indexOf(rule?.confidence ?? 'high')
          ? [`${row.state} ${row.code} ${row.attributes} ${row.from}: ${said}, not ${rule?.id}`]
          : [];
      }),
    );
    expect(better).toEqual([]);
  });

  it('determines the products of every row with a rule, in the state and in a city', () => {
    const wrong: string[] = [];
    for (const row of rows.filter((one) => !open.has(getKey(one)))) {
      const release = byState.get(row.state) as Release;
      const city = { code: `${release.state}-01-99999`, name: 'A city', type: 'city', tax_type: 'sales' } as const;
      const found = [release.jurisdictions[0], city].map((one) => getFigures(ruleFor(release, one, row)?.effect, row));
      const state = inState(row);
      const handWritten = ruleFor(release, city, row, byHand(release));
      // A row with more attributes than a hand-written rule, or with a code of its family, takes precedence, unless
      // local taxes have separate rules for it.
      const required = row.attributes.split('+').filter((one) => one.startsWith('_'));
      const isOfFamily = handWritten && !handWritten.ptcs.includes(row.code);
      const isNarrower =
        row.local !== 'own' && (isOfFamily || required.some((one) => !handWritten?.attributes.any.includes(one)));
      const said = [state, handWritten && !isNarrower ? getFigures(handWritten.effect, row) : inCity(row, state)];
      if (JSON.stringify(found) !== JSON.stringify(said))
        wrong.push(`${row.state} ${row.code} ${row.attributes} ${dayIn(row)}: ${JSON.stringify({ found, said })}`);
    }
    expect(wrong).toEqual([]);
  });

  it('treats a product the same whether its code or its buyer states the use', () => {
    const byUse = rows.filter((row) => /_(BUSINESS|PERSONAL)_USE/.test(row.attributes) && !open.has(getKey(row)));
    const different = byUse.filter((row) => {
      const release = byState.get(row.state) as Release;
      const attributes = row.attributes.replace(/\+?_(BUSINESS|PERSONAL)_USE\+?/, '');
      const [own, ofBuyer] = [row, { ...row, attributes }].map(
        (one) => ruleFor(release, release.jurisdictions[0], { ...one, from: dayIn(row) })?.effect,
      );
      return getFigures(own, row) !== getFigures(ofBuyer, row);
    });
    expect(byUse.length).toBeGreaterThan(30);
    // The rule without a use taxes half of the price, which a split by use cannot express.
    expect(different.map(({ state, code }) => `${state} ${code}`)).toEqual(['IA SOFTWARE.SOFTWARE_MAINTENANCE']);
  });

  it('defines each condition that a row uses, and uses each condition that is defined', () => {
    const used = rows.filter((row) => row.condition && row.treatment !== 'unknown' && !row.code.startsWith('TOPIC:'));
    const getPair = (one: Pick<Condition, 'condition' | 'treatment'>) => `${one.condition} | ${one.treatment}`;
    const known = new Set(conditions.map(getPair));
    expect(used.filter((row) => !known.has(getPair(row)) && row.code !== 'FEES.RETAIL_DELIVERY_FEE')).toEqual([]);
    expect([...known].filter((pair) => !used.some((row) => getPair(row) === pair))).toEqual([]);
  });

  it("charges Tennessee's single article tax on exactly the goods whose price local taxes exclude above 1,600", () => {
    const tennessee = byState.get('TN') as Release;
    const [state, singleArticle] = tennessee.jurisdictions;
    const city: Jurisdiction = { ...(state as Jurisdiction), code: 'US-TN-001-00001', type: 'city' };
    const differing = codes
      .flatMap(({ code }) => [...listVariants(code)])
      .filter((product) => {
        const effectIn = (jurisdiction: Jurisdiction) =>
          chooseRule(tennessee, jurisdiction, product, '2026-11-26', isLasting)?.effect.type;
        return (effectIn(city) === 'base_cap') !== (effectIn(singleArticle as Jurisdiction) === 'band');
      })
      .map(({ canonical }) => canonical);
    // Whether local taxes on a manufactured home have this limit is not established.
    expect(differing.filter((code) => !code.startsWith('MANUFACTURED_HOUSING'))).toEqual([]);
  });

  it('contains no product whose treatment depends on the order of the rules', () => {
    const ties: string[] = [];
    for (const release of releases) {
      const reversed = { ...release, rules: release.rules.toReversed() };
      const [state] = release.jurisdictions;
      for (const { code } of codes)
        for (const product of listVariants(code)) {
          const [first, last] = [release, reversed].map((one) =>
            chooseRule(one, state, product, '2026-11-26', isLasting),
          );
          if (JSON.stringify(first?.effect) !== JSON.stringify(last?.effect))
            ties.push(`${release.state} ${product.canonical}: ${first?.id} or ${last?.id}`);
        }
    }
    expect(ties).toEqual([]);
  });

  it('covers at least 96% of the cells with medium confidence, with at most five gaps per code', () => {
    const taxing = releases.filter(({ state }) => rows.some((row) => `US-${row.state}` === state));
    const withoutRule = codes.map(({ code }) => {
      const product = getProduct(code);
      const missing = taxing.filter((release) => {
        const [state] = release.jurisdictions;
        const rule = chooseRule(release, state, product, '2026-11-26') ?? shippingRule(release, product, '2026-11-26');
        return rule === undefined || rule.confidence === 'low';
      });
      return { code, missing: missing.map(({ state }) => state) };
    });
    const cells = 47 * codes.length;
    expect(taxing.length * codes.length).toBe(cells);
    expect(withoutRule.filter(({ missing }) => missing.length > 5)).toEqual([]);
    const without = withoutRule.reduce((sum, { missing }) => sum + missing.length, 0);
    expect((cells - without) / cells).toBeGreaterThanOrEqual(0.96);
  });
});

/** A code with each of its attributes, and with each valid pair of them. */
function listVariants(code: string) {
  const own = vocabulary().productAttributes.filter(({ ptcs }) => ptcs.includes(code.slice(code.indexOf('.') + 1)));
  const sets = own.flatMap((left, at) => [[left.code], ...own.slice(at + 1).map((right) => [left.code, right.code])]);
  return [[], ...sets].flatMap((set) => findProduct([code, ...set].join('.')) ?? []);
}
