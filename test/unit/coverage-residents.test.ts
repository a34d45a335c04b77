import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listStates, zipRows } from '../../shared/catalog/local/text-tables.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { tallyResidents } from '../../shared/coverage/residents.ts';
import { tabledRelease, withTables } from '../support/local-tables.ts';

describe('the outcomes by residents', () => {
  // Counted again by what each address is answered.
  const countOf = (state: string) => {
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

  it.each(['GA', 'NM', 'VA', 'KY'])('match the answers: %s', (state) => {
    const expected = countOf(state);
    const tally = tallyResidents(tabledRelease(state) as Release)?.['preferred name'];
    for (const outcome of ['certain', 'likelier', 'unknown'] as const)
      expect([tally?.[outcome].names, tally?.[outcome].residents], outcome).toEqual(expected[outcome]);
    expect(tally?.charged).toBeLessThanOrEqual(tally?.likelier.residents ?? 0);
  });

  // `content-coverage.test.ts` compares the page with what the content gives.
  it('count each ZIP and resident of the tables once in the total of the page', () => {
    const all = listStates().flatMap((state) => zipRows(state).map(({ residents }) => Number(residents)));
    const page = readFileSync(new URL('../../infra/docs/coverage.md', import.meta.url), 'utf8');
    const residents = all.reduce((sum, one) => sum + one, 0).toLocaleString('en-US');
    for (const city of ['preferred name', 'no city'])
      expect(page).toContain(`| all | ${city} | ${all.length.toLocaleString('en-US')} | ${residents} |`);
  });
});
