import { describe, expect, it } from 'vitest';
import { showZip } from '../../shared/cli/content/show-zip.ts';
import { locationOf, releaseOf } from '../support/builders.ts';

describe('the output for a ZIP', () => {
  const release = releaseOf({
    of: [
      { code: 'US-XX', type: 'state', rate: '0.04' },
      { code: 'CITY', type: 'city', rate: '0.03' },
    ],
    locations: [
      locationOf({ zips: [['55012', '55012']], alternatives: [['CITY']], from: '2026-01-01', to: '2026-06-30' }),
    ],
  });
  const part = { key: '55012', jurisdictions: [], rates: [], locations: release.locations };
  const shownOn = (day: string) => showZip({ ...release, locations: [] }, part, '55012', day).locations[0];

  it('has the rate on a day when a location is in force', () => {
    for (const day of ['2026-01-01', '2026-06-30'])
      expect(shownOn(day)).toMatchObject({
        in_force: true,
        alternatives: [{ rate: '0.07', jurisdictions: [{ rate: '0.04' }, { code: 'CITY', rate: '0.03' }] }],
      });
  });

  it('has no rate on a day without a location, even if its jurisdictions have rates', () => {
    for (const day of ['2025-12-31', '2026-07-01'])
      expect(shownOn(day)).toMatchObject({
        in_force: false,
        alternatives: [{ rate: null, jurisdictions: [{ rate: null }, { code: 'CITY', rate: null }] }],
      });
  });
});
