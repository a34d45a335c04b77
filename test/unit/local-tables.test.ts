import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { type Area, localTable, type Period } from '../../shared/catalog/local/local-table.ts';
import { rateOfArea } from '../../shared/catalog/local/place-choice.ts';
import {
  countyNames,
  districtNames,
  listStates,
  type RateRow,
  rateRows,
  sourceRows,
  zipRows,
} from '../../shared/catalog/local/text-tables.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import manifest from '../../shared/catalog/manifest.json' with { type: 'json' };
import { rateOn } from '../../shared/catalog/rates.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { ask, getRelease } from '../support/builders.ts';
import { localRates } from '../support/facts.ts';

describe('local tables', () => {
  describe('the CSV files', () => {
    const counties = countyNames();
    const districts = districtNames();
    const sources = new Map(sourceRows().map((row) => [row.key, row]));

    // Parses millionths of a percent, with independent string arithmetic.
    const millionths = (percent: string): bigint => {
      const [whole = '0', decimals = ''] = percent.split('.');
      return BigInt(whole + decimals.padEnd(6, '0'));
    };
    const repeated = (texts: readonly string[]): string[] => [
      ...new Set(texts.filter((text, at) => texts.indexOf(text) !== at)),
    ];
    const isDay = (text: string): boolean =>
      /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

    describe.each(listStates())('the rate table of %s', (state) => {
      const rows = rateRows(state);
      const rated = rows.filter(({ rate }) => rate !== '');

      it('contains rates within bounds, each equal to the sum of its parts', () => {
        const wrong = rated.filter(({ rate, parts }) => {
          if (!/^\d{1,2}(\.\d{1,4})?$/.test(rate) || Number(rate) > 12) return true;
          if (parts === '') return false;
          const shares = parts.split(';').map((part) => part.split('=')[1] ?? '');
          return shares.reduce((sum, share) => sum + millionths(share), 0n) !== millionths(rate);
        });
        expect(wrong).toEqual([]);
      });

      it('lists each area once per day, in a county of the state', () => {
        expect(repeated(rows.map(({ county, place, from }) => `${county} ${place} ${from}`))).toEqual([]);
        const byArea = Map.groupBy(rows, ({ county, place }) => `${county} ${place}`);
        const disordered = [...byArea].filter(([, own]) => {
          const firsts = own.map(({ from }) => from);
          // The rates before and after a change differ, unless one part replaced another part.
          const rates = own.map(({ rate, parts }) => `${rate} ${parts}`);
          return String(firsts) !== String(firsts.toSorted()) || rates.some((rate, at) => rate === rates[at - 1]);
        });
        expect(disordered).toEqual([]);
        const misplaced = rows.filter(({ county, place, rate }) =>
          county === '' ? place === '' || rate !== '' : !counties.has(`${stateFips(state)}${county}`),
        );
        expect(misplaced).toEqual([]);
      });

      it('contains the name of each district, and the source and confidence of each rate', () => {
        const isNamed = (part: string) => {
          const [, level, kind] = /^(county|city|district|city\+county)(?::([A-Z0-9-]+))?=/.exec(part) ?? [];
          const isDistrict = level === 'district' || kind !== undefined;
          return level !== undefined && (!isDistrict || districts.has(`${state} ${kind}`));
        };
        const wrong = rated.filter(({ parts, source, confidence, from, to }) => {
          const areNamed = parts === '' || parts.split(';').every(isNamed);
          const areDays = [from, to].every((day) => day === '' || isDay(day));
          const isKnown = ['high', 'medium-high', 'medium', 'low'].includes(confidence) && sources.has(source);
          return !areNamed || !areDays || !isKnown;
        });
        expect(wrong).toEqual([]);
      });

      it('contains one rate per jurisdiction and day, in every area of an address', () => {
        const days = { established: '2026-10-01', approximate: '2022-01-01' };
        const changes = rows.flatMap(({ from }) => (from >= '2022' ? [from] : []));
        const areas = localTable(packRates(state), '').areas();
        const others: string[] = [];
        for (const day of new Set(['2022-01-01', '2026-11-22', ...changes])) {
          const rates = new Map<string, string>();
          for (const area of areas)
            for (const { code, rate } of rateOfArea(area, day, days)?.period.taxes ?? []) {
              if ((rates.get(code) ?? rate) !== rate) others.push(`${code} on ${day}, ${area.county} ${area.place}`);
              rates.set(code, rate);
            }
        }
        expect(others).toEqual([]);
      });

      it('contains a reason and no parts for each rate that is not established', () => {
        for (const { rate, parts, note, place } of rows)
          if (rate === '') expect([parts, note.length > 10], place).toEqual(['', true]);
      });
    });

    describe.each(listStates())('the ZIP table of %s', (state) => {
      const rows = zipRows(state);

      it('lists each ZIP once, in a county of the rate table', () => {
        const known = new Set(rateRows(state).map(({ county }) => county));
        expect(repeated(rows.map(({ zip5 }) => zip5))).toEqual([]);
        const wrong = rows.filter(
          ({ zip5, counties: ofZip }) =>
            !/^\d{5}$/.test(zip5) || !ofZip.split('|').every((county) => known.has(county.replace(/:.*/, ''))),
        );
        expect(wrong).toEqual([]);
      });

      it('contains whole percentages of the residents of each ZIP, with a sum of at most 100', () => {
        const listPercents = (list: string) =>
          list.split('|').flatMap((one) => (one.includes(':') ? [one.split(':')[1] ?? ''] : []));
        const sum = (percents: readonly string[]) => percents.reduce((all, percent) => all + Number(percent), 0);
        const wrong = rows.filter(({ residents, counties: ofZip, names }) => {
          const [ofCounties, ofNames] = [listPercents(ofZip), listPercents(names)];
          const areWhole = [...ofCounties, ...ofNames].every((percent) => /^(0|[1-9]\d?|100)$/.test(percent));
          const isFull =
            ofCounties.length === 0 || (ofCounties.length === ofZip.split('|').length && sum(ofCounties) === 100);
          const isCounted = /^[1-9]\d*$/.test(residents) || (residents === '' && ofNames.length === 0);
          // Each percentage is rounded separately, and even a name that the postal service discourages has at least one
          // percent.
          return !(areWhole && isFull && isCounted && sum(ofNames) <= 110);
        });
        expect(wrong).toEqual([]);
      });

      it('matches the postal service on the state of each ZIP', () => {
        const others = rows.filter(({ zip5 }) => !statesOfZip(zip5).includes(state)).map(({ zip5 }) => zip5);
        expect(others).toEqual([]);
      });
    });

    it('matches the hashes of the manifest', () => {
      const computeHash = (name: string) =>
        createHash('sha256').update(readFileSync(new URL(`../../shared/catalog/local/${name}`, import.meta.url)));
      const names = ['rates.csv', 'zips.csv'];
      expect(Object.fromEntries(names.map((name) => [name, computeHash(name).digest('hex')]))).toEqual(manifest.local);
    });
  });

  describe('dated rates', () => {
    /** Which rate of an area applies on a tax date. */

    const days = { established: '2026-10-01', approximate: '2022-01-01' };

    type Row = { readonly rate: string; readonly from?: string; readonly to?: string; readonly asOf?: string };

    const buildPeriod = ({ rate, from = '', to = '', asOf = '2026-01-01' }: Row): Period => ({
      from: from || null,
      to: to || null,
      taxes: [{ code: 'US-XX-01-A', name: 'A', type: 'city', kind: null, rate }],
      units: 0n,
      evidence: { source: 'test', confidence: 'high' },
      published: { as_of: asOf, due: '2026-04-08' },
    });

    const buildArea = (first: Row, ...others: readonly Row[]): Area => ({
      county: '001',
      place: 'A',
      aliases: [],
      names: ['A'],
      plainNames: ['A'],
      offset: 0,
      taxes: [],
      units: 0n,
      periods: [buildPeriod(first), ...others.map(buildPeriod)],
    });

    const rateOn = (area: Area, day: string) => {
      const found = rateOfArea(area, day, days);
      const { ratesDay, because } = found?.approximation ?? {};
      return found && [found.period.taxes?.[0]?.rate, ...(ratesDay && because ? [ratesDay, because] : [])];
    };

    const undated = buildArea({ rate: '1' });
    const dated = buildArea({ rate: '1', from: '2024-04-01' });
    const changed = buildArea({ rate: '1' }, { rate: '2', from: '2024-04-01' }, { rate: '3', from: '2027-01-01' });
    const ended = buildArea({ rate: '1', from: '2019-01-01', to: '2026-12-31' });
    const gap = buildArea({ rate: '1', from: '2022-01-01', to: '2022-06-30' }, { rate: '2', from: '2026-07-01' });

    it.each([
      { area: undated, day: '2021-12-31', is: null, because: 'no rate is known' },
      { area: undated, day: '2022-01-01', is: ['1', '2026-10-01', 'undated'], because: 'the first day is unknown' },
      { area: undated, day: '2026-09-30', is: ['1', '2026-10-01', 'undated'], because: 'the first day is unknown' },
      { area: undated, day: '2026-10-01', is: ['1'], because: 'it is established' },
      { area: dated, day: '2021-12-31', is: null, because: 'no rate is known' },
      { area: dated, day: '2024-03-31', is: ['1', '2024-04-01', 'first'], because: 'no earlier rate is on record' },
      { area: dated, day: '2024-04-01', is: ['1'], because: 'it is the first day' },
      { area: changed, day: '2022-01-01', is: ['1', '2024-03-31', 'undated'], because: 'the first day is unknown' },
      { area: changed, day: '2024-03-31', is: ['1'], because: 'it is the last day before the change' },
      { area: changed, day: '2024-04-01', is: ['2'], because: 'it is the day of the change' },
      { area: changed, day: '2026-12-31', is: ['2'], because: 'the next rate has not begun' },
      { area: changed, day: '2027-01-01', is: ['3'], because: 'the next rate begins' },
      { area: ended, day: '2018-12-31', is: null, because: 'no rate is known' },
      { area: ended, day: '2026-12-31', is: ['1'], because: 'it is the last day' },
      { area: ended, day: '2027-01-01', is: ['1', '2026-12-31', 'ended'], because: 'the following rate is unknown' },
      { area: gap, day: '2022-06-30', is: ['1'], because: 'it is the last day of the first rate' },
      { area: gap, day: '2022-07-01', is: ['2', '2026-07-01', 'first'], because: 'the day of the change is unknown' },
    ])('returns $is on $day: $because', ({ area, day, is }) => expect(rateOn(area, day)).toEqual(is));

    it.each([
      {
        asOf: ['2025-07-01', '2026-01-01'],
        day: '2025-12-31',
        is: null,
        because: 'a newer source includes its last day',
      },
      {
        asOf: ['2025-07-01', '2025-07-01'],
        day: '2025-12-31',
        is: '2025-07-01',
        because: 'no newer source includes it',
      },
      { asOf: ['2025-07-01', '2026-01-01'], day: '2026-01-01', is: '2026-01-01', because: 'it is the newest' },
    ])('cites the source $is on $day: $because', ({ asOf: [first, second], day, is }) => {
      const area = buildArea({ rate: '1', asOf: first ?? '' }, { rate: '2', from: '2026-01-01', asOf: second ?? '' });
      expect(rateOfArea(area, day, days)?.published?.as_of ?? null).toBe(is);
    });
  });
});

describe('local uncertainties', () => {
  /** A response warns about each unconfirmed local rate, even if no local tax is levied. */

  const tax_date = '2026-11-20';
  const counties = countyNames();

  /** The rows of a state's places and counties in force on the tax date with a confidence below medium-high. */
  const uncertainRows = (state: string): readonly RateRow[] => {
    const newest = new Map<string, RateRow>();
    const rows = rateRows(state).filter(({ from }) => from <= tax_date);
    for (const row of rows.toSorted((a, b) => (a.from < b.from ? -1 : 1)))
      newest.set(`${row.county} ${row.place}`, row);
    return [...newest.values()].filter(({ confidence }) => confidence === 'medium' || confidence === 'low');
  };

  const states = listStates().filter((state) => uncertainRows(state).length > 0);

  let checked = 0;

  describe('local rates of low or medium confidence', () => {
    it('contains such rates in more than ten states', () => expect(states.length).toBeGreaterThan(10));

    it.each(states)('returns a warning in each place and county of %s, even where the rate is zero', (state) => {
      const silent = uncertainRows(state).filter(({ county, place, confidence, rate }) => {
        const to = { state, city: place, county: counties.get(`${stateFips(state)}${county}`) ?? null };
        const { warnings } = ask({ to, tax_date });
        const area = place === '' ? `${to.county} ` : `${place},`;
        // Skips a name whose ZIPs have most residents outside the place: Levy charges the rate of another area there.
        if (rate !== '' && !warnings.some(({ message }) => message.includes(`local rates of ${area}`))) return false;
        checked += 1;
        return !warnings.some(({ code, message }) =>
          // A rate that is not on record is missing, regardless of its confidence.
          rate === ''
            ? code === 'local_rates_missing'
            : code === 'content_unconfirmed' && message.includes(`(confidence ${confidence},`),
        );
      });
      expect(silent).toEqual([]);
    });

    it('charges the rate in more than 600 places', () => expect(checked).toBeGreaterThan(600));
  });

  it('includes a warning about an unconfirmed state rate of zero', () => {
    const release = getRelease({ of: [{ code: 'US-DE', type: 'state', rate: '0' }], name: 'Delaware' });
    const rates = release.rates.map((rate) => ({ ...rate, confidence: 'medium' as const }));
    const listCodes = (unconfirmed: boolean) =>
      ask({ to: { state: 'DE' } }, { releaseFor: () => (unconfirmed ? { ...release, rates } : release) }).warnings;
    expect(listCodes(false)).toEqual([]);
    expect(listCodes(true)).toEqual([
      {
        code: 'content_unconfirmed',
        message: 'Name of US-DE, general rate: not confirmed by a primary source (confidence medium, source test).',
        pointer: '/line_items/0',
      },
    ]);
  });
});

describe('local corrections', () => {
  /**
   * Local rates that were wrong or outdated in the sources of the tables. Combined percentages are typed by hand from
   * notices and laws.
   */

  type To = NonNullable<Parameters<typeof ask>[0]['to']>;

  const responseTo = (to: To, tax_date = '2026-11-26', ambiguous_address: 'warn' | 'highest_rate' = 'warn') =>
    ask(
      { to, tax_date, line_items: [{ unit_price: '10000.00' }] },
      { today: '2026-11-26', settings: { ambiguous_address } },
    );
  /** The combined rate in percent. */
  const percentAt = (to: To, tax_date?: string): number => Number(responseTo(to, tax_date).tax_amount) / 100;

  /** The possible combined rates of an address in percent: the charged rate, and the rate of the named place. */
  const possiblePercents = (to: ReturnType<typeof localRates>[number]['to']) => {
    const address = readAddress(to, '');
    if (!address.ok) throw new Error(JSON.stringify(address.problems));
    const { choice, place } = locate(address.value, builtInReleaseFor, '2026-11-26', false);
    const general = Number(rateOn(place.release as Release, `US-${to.state}`, '2026-11-26')?.rate) * 1e8;
    const areas = choice?.byPlace?.possible ?? [];
    const named = areas.filter(({ name }) => name.split(',')[0] === to.city);
    return (named.length > 0 ? named : areas).map(({ rate }) => (general + Number(rate)) / 1e6);
  };

  describe('the combined rate', () => {
    it.each(localRates('corrected'))('contains $percent % for $to', ({ to, percent }) => {
      expect(possiblePercents(to)).toContain(percent);
    });

    it.each(localRates('county'))('contains $percent % for $to outside the cities', ({ to, percent }) => {
      expect(percentAt(to)).toBe(percent);
    });

    it.each(localRates('earlier'))('contains $percent % for $to on $day: $note', ({ to, day, percent }) => {
      expect(percentAt(to, day)).toBe(percent);
    });
  });

  describe('the parts', () => {
    it.each(localRates('part'))('contains $name at $percent % for $to', ({ to, name, percent }) => {
      const rows = responseTo(to, undefined, 'highest_rate').line_items[0]?.taxes ?? [];
      const part = rows.find(({ jurisdiction_name }) => jurisdiction_name === name);
      expect(Math.round(Number(part?.rate) * 1e6) / 1e4).toBe(percent);
    });

    it('includes each jurisdiction only once', () => {
      for (const county of ['Eagle', 'Pitkin']) {
        const names = (responseTo({ state: 'CO', county }).line_items[0]?.taxes ?? []).map(
          (row) => row.jurisdiction_name,
        );
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => name.includes('Transit')).length).toBeLessThanOrEqual(1);
      }
    });
  });

  it.each([
    ['Ponderay', '83852'],
    ['Ketchum', '83340'],
    ['Sandpoint', '83864'],
  ])(
    'includes a tax that an Idaho city collects itself in the rate of %s, with a warning that remote sellers do not',
    (city, postal_code) => {
      const { warnings } = responseTo({ state: 'ID', city, postal_code }, undefined, 'highest_rate');
      expect(warnings.map(({ code, message }) => [code, message])).toContainEqual([
        'content_unconfirmed',
        expect.stringContaining('not collected by remote sellers as such'),
      ]);
    },
  );
});
