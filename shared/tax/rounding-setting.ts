import { settingOn } from '../content/effective.ts';
import type { Release, Rounding } from '../content/release.ts';

export const halfUp = { method: 'half_up' } as const;

/** A state's rounding setting on a day, with its evidence; `undefined` where its release has none. */
export const roundingSettingOn = (
  { settings }: Release,
  day: string,
): Release['settings']['rounding'][number] | undefined => settingOn(settings.rounding, day);

/** A state's rounding on a day: half up where its release has none. */
export const roundingOf = (release: Release, day: string): Rounding =>
  roundingSettingOn(release, day)?.policy ?? halfUp;
