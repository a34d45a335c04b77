import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead } from '../../shared/catalog/content.ts';
import { ReleaseNotFound } from '../../shared/catalog/loading/content-errors.ts';
import { listStates, zipRows } from '../../shared/catalog/local/text-tables.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { type SourceRecord, stateCoverage, toSourceCoverage } from '../../shared/coverage/coverage.ts';
import { localCoverageOn, localRatesOn } from '../../shared/coverage/local-rates.ts';
import { taxabilityPage } from '../../shared/coverage/page.ts';
import { withFallback } from '../../shared/coverage/releases.ts';
import { lookUpResidents } from '../../shared/coverage/residents.ts';
import { findTaxability } from '../../shared/coverage/taxability.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { buildLocation, getRelease, rule } from '../support/builders.ts';
import { buildHead, builtIn, tabledRelease, withTables } from '../support/local-content.ts';

describe('local coverage', () => {
  const day = '2026-11-22';
  const getTabled = (state: string) => tabledRelease(state) as Release;
  const describeCoverage = (release: Release, on = day) => [
    localRatesOn(release, on),
    localCoverageOn(release, on).basis,
  ];

  describe('states with tables', () => {
    // Counts rows in the file text: no field before the rate is quoted.
    const text = readFileSync(new URL('../../shared/catalog/local/rates.csv', import.meta.url), 'utf8');
    const listLines = (state: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`${state},`))
        .map(
          (line) => /^..,(?<county>\d*),(?<place>[^,]*),[^,]*,(?:"[^"]*"|[^,]*),(?<rate>[\d.]*),/.exec(line)?.groups,
        );

    it.each(listStates())('counts its areas and the places without a rate: %s', (state) => {
      const lines = listLines(state);
      expect(lines).not.toContain(undefined);
      const rated = new Map(
        lines.filter((line) => line?.['rate'] !== '').map((line) => [`${line?.['county']} ${line?.['place']}`, line]),
      );
      const places = new Set(lines.map((line) => line?.['place']).filter((place) => place !== ''));
      const known = new Set([...rated.values()].map((line) => line?.['place']));
      const missing = [...places].filter((place) => !known.has(place)).length;
      const covered = localCoverageOn(getTabled(state), day);
      if (covered.basis === 'not_levied') {
        expect(lines.every((line) => line?.['rate'] === '0')).toBe(true);
        const nothing = { areas: 0, places_missing: 0, share_missing: '0.0000', share_outdated: '0.0000' };
        expect(covered).toMatchObject(nothing);
        return;
      }
      expect(covered).toMatchObject({ basis: 'by_place', areas: rated.size, places_missing: missing });
      const share = places.size === 0 ? 0 : missing / places.size;
      expect(Math.abs(Number(covered.share_missing) - share)).toBeLessThanOrEqual(0.00005);
      expect(covered.share_missing).toMatch(/^[01]\.\d{4}$/);
    });

    it('reports the oldest and newest source date of its current rates', () => {
      const asOf = (state: string) => {
        const { oldest_as_of, as_of } = localCoverageOn(getTabled(state), day);
        return [oldest_as_of, as_of];
      };
      expect(asOf('HI')).toEqual(['2024-01-01', '2024-01-01']);
      expect(asOf('FL')).toEqual(['2026-01-01', '2026-01-01']);
      expect(asOf('CO')).toEqual(['2025-07-01', '2026-07-01']);
    });

    it.each([
      ['WI', '2026-11-22', '0.0000', "the fourth quarter's files are in force"],
      ['WI', '2027-01-08', '0.0000', "the next quarter's files can be a week late"],
      ['WI', '2027-01-09', '1.0000', "the next quarter's files are overdue"],
      ['NY', '2026-11-22', '1.0000', 'the list is of March 2025, and there is one each quarter'],
      ['FL', '2026-11-22', '0.0000', 'the list is from this year'],
    ])("counts rates older than the publisher's cadence: %s on %s is %s", (state, on, share) => {
      expect(localCoverageOn(getTabled(state), on).share_outdated).toBe(share);
    });

    it('reports that most rates of Colorado date from July 2025', () => {
      const { share_outdated } = localCoverageOn(getTabled('CO'), day);
      expect(Number(share_outdated)).toBeGreaterThan(0.9);
      expect(stateCoverage(getTabled('CO'), day).notes.join('\n')).toContain('are from 2025-07-01 to 2026-07-01');
    });

    it('notes the missing share, and approximate rates by place', () => {
      const notes = stateCoverage(getTabled('TX'), day).notes.join('\n');
      expect(notes).toMatch(/839 of 1,218 places/);
      expect(notes).toMatch(/185 counties/);
      expect(stateCoverage(getTabled('MI'), day).notes.join('\n')).not.toMatch(/ZIP/);
    });

    it('reports a state as partial before its rates are established', () => {
      expect(describeCoverage(getTabled('MN'), '2026-09-30')).toEqual(['partial', 'by_place']);
      expect(describeCoverage(getTabled('MI'), '2026-09-30')).toEqual(['complete', 'not_levied']);
    });
  });

  const unknown = { share_outdated: null, places_missing: null, share_missing: null };

  it('reports the basis none, not_levied or by_place for a release without tables', () => {
    const old = (others: Partial<Release>) => ({ ...getRelease({ id: 'US-XX@2026-11-22.1' }), ...others });
    const none = { basis: 'none', as_of: null, oldest_as_of: null, areas: null, ...unknown };
    expect(localCoverageOn(old({ coverage: 'partial' }), day)).toEqual(none);
    expect(localCoverageOn(old({}), day)).toMatchObject({ basis: 'not_levied', as_of: '2026-11-22' });
    const named = old({ locations: [buildLocation({ cities: ['WHITEFISH'] })] });
    expect(localCoverageOn(named, day)).toMatchObject({ basis: 'by_place', as_of: '2026-11-22', areas: null });
  });

  describe('imports', () => {
    const imported = (others: Partial<ReleaseHead> = {}) =>
      buildHead('US-TX@2026-11-20.101', {
        counts: { parts: 30, zips: 30, jurisdictions: 5, rates: 5, locations: 30, streets: 0 },
        imported_at: '2026-11-20T12:00:00.000Z',
        ...others,
      });
    const over = (state: string, others: Partial<ReleaseHead> = {}) =>
      withFallback(imported({ bottom: getTabled(state).id, ...others }), () => getTabled(state));

    it('reports an import by file, as of the day of the import', () => {
      const days = { as_of: '2026-11-20', oldest_as_of: '2026-11-20' };
      expect(localCoverageOn(imported(), day)).toEqual({ basis: 'by_file', ...days, areas: 30, ...unknown });
    });

    it('reports at least the coverage of the built-in release below an import, and notes the fallback', () => {
      expect(describeCoverage(over('MN'))).toEqual(['complete', 'by_file']);
      expect(describeCoverage(over('TX'))).toEqual(['partial', 'by_file']);
      const { notes } = stateCoverage(over('MN'), day);
      expect(notes.some((note) => note.includes('fall back') && note.includes(getTabled('MN').id))).toBe(true);
      expect(notes.some((note) => note.includes('not covered'))).toBe(false);
    });

    it('reports the coverage of the fallback release after all rows of an import have ended', () => {
      expect(describeCoverage(over('MN', { last_day: '2026-11-21' }))).toEqual(['complete', 'by_place']);
      expect(describeCoverage(over('TX', { last_day: '2026-11-21' }))).toEqual(['partial', 'by_place']);
      expect(describeCoverage(over('MN', { last_day: day }))).toEqual(['complete', 'by_file']);
    });

    it('requires the fallback release of an import', () => {
      expect(() => withFallback(imported({ bottom: 'US-TX@2026-11-22.1' }), () => undefined)).toThrow(ReleaseNotFound);
    });
  });
});

describe('the outcomes by residents', () => {
  // Counts again from the calculated result of each address.
  const getCount = (state: string) => {
    const found = { certain: [0, 0], likelier: [0, 0], unknown: [0, 0] };
    for (const { zip5, residents, names } of zipRows(state)) {
      const address = readAddress({ state, postal_code: zip5, city: names.replace(/[|=:].*/, '') }, '');
      if (!address.ok) throw new Error(zip5);
      const { ambiguous, coverage } = locate(address.value, withTables, '2026-11-20', false).resolution;
      const outcome = ambiguous ? 'likelier' : coverage === 'partial' ? 'unknown' : 'certain';
      const [count = 0, sum = 0] = found[outcome];
      found[outcome] = [count + 1, sum + Number(residents)];
    }
    return found;
  };

  it.each(['GA', 'NM', 'VA', 'KY'])('matches the calculated results: %s', (state) => {
    const expected = getCount(state);
    const found = lookUpResidents(tabledRelease(state) as Release).filter(({ city }) => city === 'preferred name');
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    for (const [outcome, counts] of Object.entries(expected)) {
      const some = found.filter((one) => one.outcome === outcome);
      expect([some.length, sum(some.map(({ residents }) => residents))], outcome).toEqual(counts);
      for (const { residents, charged } of some) expect(charged).toBeLessThanOrEqual(residents);
    }
  });

  // `content-coverage.test.ts` compares the page with the content.
  it('includes each ZIP and resident of the tables once in the total of the page', () => {
    const all = listStates().flatMap((state) => zipRows(state).map(({ residents }) => Number(residents)));
    const page = readFileSync(new URL('../../infra/docs/coverage.md', import.meta.url), 'utf8');
    const residents = all.reduce((sum, one) => sum + one, 0).toLocaleString('en-US');
    for (const city of ['preferred name', 'no city'])
      expect(page).toContain(`| all | ${city} | ${all.length.toLocaleString('en-US')} | ${residents} |`);
  });
});

describe('coverage sources', () => {
  const day = '2026-11-22';
  const own = 'US-MN@2026-09-01.101';
  const minnesota: SourceRecord = {
    files: [{ option: 'rates', name: 'MNR2026Q4AUG18.zip', last_modified: null }],
    imported_at: '2026-09-01T08:00:00.000Z',
    failure: null,
    release: own,
    activated: true,
    proposal: null,
  };
  describe('the source of a state', () => {
    it('reports the built-in content until an update is imported, with the day of the local rates', () => {
      const addresses = ['https://dor.mo.gov/taxation/business/tax-types/sales-use/rate-tables/2026/'];
      const source = { origin: 'built_in', publisher: 'Missouri Department of Revenue', addresses };
      const dates = { as_of: expect.stringMatching(/^2026-\d\d-\d\d$/), next_expected: null };
      const none = { release: null, in_use: false, proposal: null, stale: false, stale_reason: null };
      expect(toSourceCoverage(builtIn('MO'), null, day)).toEqual({ ...source, ...dates, ...none });
    });

    it('reports the active import, even if it is below another import', () => {
      const expected = { origin: 'sst', release: own, in_use: true, as_of: '2026-08-18', next_expected: '2027-01-08' };
      expect(toSourceCoverage(buildHead(own, { format: 'sst' }), minnesota, day)).toMatchObject(expected);
      const above = buildHead('US-MN@2026-10-01.102', { format: 'zip-rates', chain: [own] });
      expect(toSourceCoverage(above, minnesota, day)).toMatchObject({ ...expected, origin: 'zip-rates' });
    });

    it('includes a release that is not in use until it is activated', () => {
      const gate = { name: 'changed', figure: 30, most: 25, unit: '%', passed: false } as const;
      const rate = { jurisdiction: 'US-MN', name: 'Minnesota', kind: 'general', from: '2026-10-01', to: null };
      const rates = [{ ...rate, before: '0.06875', after: '0.07' }];
      const reason = { held: 'Gates failed: changed.', changes: { against: 'US-MN@2026-11-22.1', count: 1, rates } };
      const stored = { gates: [{ ...gate, describe: 'changed rates' }], ...reason };
      const waiting = { ...minnesota, activated: false, proposal: stored };
      const { imported_at } = minnesota;
      const proposal = { imported_at, gates: [{ ...gate, text: 'changed rates' }], ...reason };
      const proposed = { origin: 'built_in', release: own, in_use: false, as_of: '2026-08-18', proposal };
      expect(toSourceCoverage(builtIn('MN'), waiting, day)).toMatchObject(proposed);
      // An operator activated it; the next update records that.
      expect(toSourceCoverage(buildHead(own), waiting, day)).toMatchObject({ in_use: true, proposal: null });
      // An operator rolled it back.
      expect(toSourceCoverage(builtIn('MN'), minnesota, day)).toMatchObject({ in_use: false, proposal: null });
      const another = buildHead('US-MN@2026-10-01.102', { chain: ['US-MN@2026-06-01.101'] });
      expect(toSourceCoverage(another, minnesota, day)).toMatchObject({ release: own, in_use: false });
    });

    it("reports no URL if Levy cannot import the state's files, and no publisher in a state without a sales tax", () => {
      const publisher = 'New York State Department of Taxation and Finance';
      expect(toSourceCoverage(builtIn('NY'), null, day)).toMatchObject({ publisher, addresses: [] });
      const none = { publisher: null, addresses: [], stale: false };
      expect(toSourceCoverage(builtIn('OR'), null, day)).toMatchObject(none);
    });
  });

  it('lists one publisher per state with a general sales tax, and one for the cities of Alaska', () => {
    const withoutSalesTax = ['AA', 'AE', 'AP', 'DE', 'MT', 'NH', 'OR'];
    const states = builtInReleases().map(({ state }) => state.slice('US-'.length));
    const expected = states.filter((state) => !withoutSalesTax.includes(state)).sort();
    expect(expected).toHaveLength(48);
    expect(publishers.map(({ state }) => state).sort()).toEqual(expected);
  });
});

const day = '2026-11-26';
const inState = (state: string, code: string) => findTaxability(builtIn(state), code, day);

describe('the taxability of a code in a state', () => {
  it('shows the treatment, the rule with its source, and the attributes that change it', () => {
    // 86 Ill. Adm. Code 130.310: candy is taxed at the general rate; candy with flour is food, which the state taxes
    // at 0%.
    const candy = inState('IL', 'FOOD.CANDY');
    expect(candy).toMatchObject({ state: 'IL', treatment: 'taxable', rule_id: 'il-candy-and-soft-drinks' });
    expect(candy.source).not.toBe('');
    expect(candy.attributes.map(({ code, treatment }) => [code, treatment])).toEqual([
      ['_CONTAINS_FLOUR', 'reduced_rate'],
      ['_REFRIGERATED', 'reduced_rate'],
    ]);
  });

  it.each([
    ['NH', 'FOOD.PREPARED_FOOD'],
    ['MT', 'LODGING.HOTEL_ROOMS'],
    ['DE', 'LODGING.HOTEL_ROOMS'],
  ])('shows the other tax of a state without a general tax: %s on %s', (state, code) =>
    expect(inState(state, code)).toMatchObject({
      treatment: 'other_tax',
      text: expect.stringContaining('another tax'),
    }),
  );

  it('shows each treatment if business and personal use are taxed differently', () => {
    // The rule is Ohio R.C. 5739.01(B)(3)(e).
    const { treatment, attributes } = inState('OH', 'SOFTWARE.SAAS');
    const treatments = attributes.map((one) => `${one.code} ${one.treatment}`);
    expect([treatment, treatments]).toEqual(['by_use', ['_BUSINESS_USE taxable', '_PERSONAL_USE exempt']]);
  });

  it('reports taxable without a rule, with a note that no rule is established', () => {
    const flour = { attributes: { any: ['_CONTAINS_FLOUR'], none: [] } };
    const rules = [rule('flour', ['FOOD.CANDY'], { type: 'exempt' }, flour)];
    const candy = findTaxability(getRelease({ rules }), 'FOOD.CANDY', day);
    expect(candy).toMatchObject({ treatment: 'taxable', rule_id: null, confidence: null, source: null });
    expect(candy.attributes).toMatchObject([{ code: '_CONTAINS_FLOUR', treatment: 'exempt', rule_id: 'flour' }]);
  });

  it('reports not_subject_to_tax in a state without a general sales tax, even if its cities tax', () => {
    for (const state of ['OR', 'DE', 'MT', 'NH', 'AK'])
      expect(inState(state, 'GENERAL')).toMatchObject({ treatment: 'not_subject_to_tax', attributes: [] });
    expect(inState('AK', 'GENERAL').text).not.toBe(inState('OR', 'GENERAL').text);
  });

  it("reports the state's fee if it charges one", () => {
    expect(inState('CO', 'FEES.RETAIL_DELIVERY_FEE').rule_id).toBe('co-retail-delivery-fee-2026');
  });

  it('reports the shipping policy if no rule covers a shipping charge', () => {
    const attributes = [{ code: '_INCLUDED_IN_PRICE', treatment: 'follows_goods' }];
    const expected = { treatment: 'exempt', rule_id: 'ia-shipping', attributes };
    expect(inState('IA', 'SHIPPING.DELIVERY')).toMatchObject(expected);
  });
});

describe('the taxability page', () => {
  const page = taxabilityPage(builtInReleases());
  const states = (/^\| Code \| (.*) \|$/m.exec(page)?.[1] ?? '').split(' | ');
  const rows = new Map(
    [...page.matchAll(/^\| `(.*)` \| (.*) \|$/gm)].map(([, code = '', cells = '']) => [code, cells.split(' | ')]),
  );
  const cell = (code: string, state: string) => rows.get(code)?.[states.indexOf(state)];

  it('matches the content (after a change, run `npm run content -- coverage --write`)', () => {
    expect(readFileSync(new URL('../../infra/docs/taxability.md', import.meta.url), 'utf8')).toBe(page);
  });

  it('contains a cell for each code in each of the 47 states and territories with a general sales tax', () => {
    expect(states).toHaveLength(47);
    expect([...rows.keys()]).toEqual(vocabulary().productTaxCodes);
    expect([...rows.values()].filter((cells) => cells.length !== states.length)).toEqual([]);
    for (const state of ['AK', 'DE', 'MT', 'NH', 'OR', 'AE']) expect(states).not.toContain(state);
  });

  it.each([
    // N.Y. Tax Law 1115(a)(30) exempts clothing below 110 dollars, and Minn. Stat. 297A.67 subd. 8 at any price. Tex. Tax
    // Code 151.351 taxes 80% of data processing.
    ['CLOTHING.APPAREL', 'NY', 'D'],
    ['CLOTHING.APPAREL', 'MN', 'E'],
    ['SERVICES.DATA_PROCESSING', 'TX', 'P'],
    // Ohio R.C. 5739.01(B)(3)(e) taxes only business use.
    ['SOFTWARE.SAAS', 'OH', 'U'],
    ['GENERAL', 'CA', 'T'],
  ])('shows %s in %s as %s', (code, state, letter) => {
    expect(cell(code, state)?.replace('\\*', '')).toBe(letter);
  });

  it('explains each symbol in use, and no other, in the legend', () => {
    const legend = [...page.matchAll(/^\| (\S{1,2}) \| /gm)].map(([, sign]) => sign);
    const cells = [...rows.values()].flat();
    const used = cells.flatMap((text) => (text.endsWith('\\*') ? [text.slice(0, -2), '\\*'] : [text]));
    expect(new Set(used)).toEqual(new Set(legend));
    expect(new Set(legend).size).toBe(legend.length);
  });
});
