import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ReleaseHead } from '../../shared/catalog/content.ts';
import { ReleaseNotFound } from '../../shared/catalog/loading/content-errors.ts';
import { listStates } from '../../shared/catalog/local/text-tables.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { stateCoverage } from '../../shared/coverage/coverage.ts';
import { localCoverageOn, localRatesOn } from '../../shared/coverage/local-rates.ts';
import { withFallback } from '../../shared/coverage/releases.ts';
import { locationOf, releaseOf } from '../support/builders.ts';
import { headOf } from '../support/imported.ts';
import { tabledRelease } from '../support/local-tables.ts';

const day = '2026-11-22';
const of = (state: string): Release => {
  const release = tabledRelease(state);
  if (!release) throw new Error(`There is no release of ${state}.`);
  return release;
};
const sayOf = (release: Release, on = day) => [localRatesOn(release, on), localCoverageOn(release, on).basis];

describe('a state with tables', () => {
  // Counted here in the text: no field before the rate is quoted.
  const text = readFileSync(new URL('../../shared/catalog/local/rates.csv', import.meta.url), 'utf8');
  const linesOf = (state: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${state},`))
      .map((line) => /^..,(?<county>\d*),(?<place>[^,]*),[^,]*,(?:"[^"]*"|[^,]*),(?<rate>[\d.]*),/.exec(line)?.groups);

  it.each(listStates())('counts its areas and the places without a rate: %s', (state) => {
    const lines = linesOf(state);
    expect(lines).not.toContain(undefined);
    const rated = new Map(
      lines.filter((line) => line?.['rate'] !== '').map((line) => [`${line?.['county']} ${line?.['place']}`, line]),
    );
    const places = new Set(lines.map((line) => line?.['place']).filter((place) => place !== ''));
    const known = new Set([...rated.values()].map((line) => line?.['place']));
    const missing = [...places].filter((place) => !known.has(place)).length;
    const covered = localCoverageOn(of(state), day);
    if (covered.basis === 'not_levied') {
      expect(lines.every((line) => line?.['rate'] === '0')).toBe(true);
      expect(covered).toMatchObject({ areas: 0, places_missing: 0, share_missing: '0.0000', share_outdated: '0.0000' });
      return;
    }
    expect(covered).toMatchObject({ basis: 'by_place', areas: rated.size, places_missing: missing });
    const share = places.size === 0 ? 0 : missing / places.size;
    expect(Math.abs(Number(covered.share_missing) - share)).toBeLessThanOrEqual(0.00005);
    expect(covered.share_missing).toMatch(/^[01]\.\d{4}$/);
  });

  it('is as of the oldest and the newest day of the sources of its present rates', () => {
    const asOf = (state: string) => {
      const { oldest_as_of, as_of } = localCoverageOn(of(state), day);
      return [oldest_as_of, as_of];
    };
    expect(asOf('HI')).toEqual(['2024-01-01', '2024-01-01']);
    expect(asOf('FL')).toEqual(['2026-01-01', '2026-01-01']);
    expect(asOf('CO')).toEqual(['2025-07-01', '2026-07-01']);
  });

  it.each([
    ['WI', '2026-11-22', '0.0000', 'the files of the fourth quarter are in force'],
    ['WI', '2027-01-08', '0.0000', 'the next quarter may be a week late'],
    ['WI', '2027-01-09', '1.0000', 'the files of the next quarter are overdue'],
    ['NY', '2026-11-22', '1.0000', 'the list is of March 2025, and there is one each quarter'],
    ['FL', '2026-11-22', '0.0000', 'the list is of this year'],
  ])('counts the rates that are older than the cadence of the publisher: %s on %s is %s', (state, on, share) => {
    expect(localCoverageOn(of(state), on).share_outdated).toBe(share);
  });

  it('reports that most rates of Colorado are of July 2025', () => {
    const { share_outdated } = localCoverageOn(of('CO'), day);
    expect(Number(share_outdated)).toBeGreaterThan(0.9);
    expect(stateCoverage(of('CO'), day).notes.join('\n')).toContain('are of 2025-07-01 to 2026-07-01');
  });

  it.each([
    ['MN', 'complete', 'by_place'],
    ['MI', 'complete', 'not_levied'],
    ['OR', 'complete', 'not_levied'],
    ['TX', 'partial', 'by_place'],
    ['NM', 'partial', 'by_place'],
  ])('has the right completeness: %s', (state, rates, basis) => {
    expect(sayOf(of(state))).toEqual([rates, basis]);
  });

  it('has notes on the missing share, and on approximate rates by place', () => {
    const notes = stateCoverage(of('TX'), day).notes.join('\n');
    expect(notes).toMatch(/839 of 1,218 places/);
    expect(notes).toMatch(/185 counties/);
    expect(stateCoverage(of('MI'), day).notes.join('\n')).not.toMatch(/ZIP/);
  });

  it('is partial before its rates are established', () => {
    expect(sayOf(of('MN'), '2026-09-30')).toEqual(['partial', 'by_place']);
    expect(sayOf(of('MI'), '2026-09-30')).toEqual(['complete', 'not_levied']);
  });
});

describe('a release without tables', () => {
  const old = (others: Partial<Release>) => ({ ...releaseOf({ id: 'US-XX@2026-11-22.1' }), ...others });

  it('covers no, all, or some places', () => {
    expect(localCoverageOn(old({ coverage: 'partial' }), day)).toEqual({
      basis: 'none',
      as_of: null,
      oldest_as_of: null,
      share_outdated: null,
      areas: null,
      places_missing: null,
      share_missing: null,
    });
    expect(localCoverageOn(old({}), day)).toMatchObject({ basis: 'not_levied', as_of: '2026-11-22' });
    const named = old({ locations: [locationOf({ cities: ['WHITEFISH'] })] });
    expect(localCoverageOn(named, day)).toMatchObject({ basis: 'by_place', as_of: '2026-11-22', areas: null });
  });
});

describe('an import', () => {
  const imported = (others: Partial<ReleaseHead> = {}) =>
    headOf('US-TX@2026-11-20.101', {
      counts: { parts: 30, zips: 30, jurisdictions: 5, rates: 5, locations: 30, streets: 0 },
      imported_at: '2026-11-20T12:00:00.000Z',
      ...others,
    });
  const over = (state: string, others: Partial<ReleaseHead> = {}) =>
    withFallback(imported({ bottom: of(state).id, ...others }), () => of(state));

  it('is by file, as of the day of the import', () => {
    expect(localCoverageOn(imported(), day)).toEqual({
      basis: 'by_file',
      as_of: '2026-11-20',
      oldest_as_of: '2026-11-20',
      share_outdated: null,
      areas: 30,
      places_missing: null,
      share_missing: null,
    });
  });

  it('covers as much as the built-in release below it, and notes the fallback', () => {
    expect(sayOf(over('MN'))).toEqual(['complete', 'by_file']);
    expect(sayOf(over('TX'))).toEqual(['partial', 'by_file']);
    const { notes } = stateCoverage(over('MN'), day);
    expect(notes.some((note) => note.includes('fall back') && note.includes(of('MN').id))).toBe(true);
    expect(notes.some((note) => note.includes('not covered'))).toBe(false);
  });

  it('is no more than what is below it once all that it lists has ended', () => {
    expect(sayOf(over('MN', { last_day: '2026-11-21' }))).toEqual(['complete', 'by_place']);
    expect(sayOf(over('TX', { last_day: '2026-11-21' }))).toEqual(['partial', 'by_place']);
    expect(sayOf(over('MN', { last_day: day }))).toEqual(['complete', 'by_file']);
  });

  it('has some rates where the release below it has none, until all its locations have ended', () => {
    const bottom = { ...releaseOf(), coverage: 'partial' as const };
    const overNone = (last_day: string | null) => withFallback(imported({ bottom: bottom.id, last_day }), () => bottom);
    expect(sayOf(overNone(null))).toEqual(['partial', 'by_file']);
    expect(sayOf(overNone('2026-11-21'))).toEqual(['none', 'none']);
  });

  it('is never without the release below it', () => {
    expect(() => withFallback(imported({ bottom: 'US-TX@2026-11-22.1' }), () => undefined)).toThrow(ReleaseNotFound);
  });
});
