import { settingOn } from '../content/effective.ts';
import type { Release, Rounding } from '../content/release.ts';

export const halfUp = { method: 'half_up' } as const;

/** How a state rounds on a day, with its evidence; `undefined` where its release does not say. */
export const roundingSettingOn = (
  { settings }: Release,
  day: string,
): Release['settings']['rounding'][number] | undefined => settingOn(settings.rounding, day);

/** How a state rounds on a day: half up where its release does not say. */
export const roundingOf = (release: Release, day: string): Rounding =>
  roundingSettingOn(release, day)?.policy ?? halfUp;
