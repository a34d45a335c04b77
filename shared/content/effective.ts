/** Which dated values of a release hold on a tax day. Days are `YYYY-MM-DD` strings, whose order is that of time. */
import type { Dated, Season } from './release.ts';

type Seasonal = Dated & { readonly season?: Season };

const monthAndDay = (day: string): string => day.slice(5);

const isInSeason = ({ from, to }: Season, day: string): boolean => {
  const today = monthAndDay(day);
  return from <= to ? from <= today && today <= to : from <= today || today <= to;
};

/** The first day of the season that a day lies in: in January, that may be a day of the year before. */
const seasonStart = ({ from }: Season, day: string): string => {
  const year = Number(day.slice(0, 4)) - (from <= monthAndDay(day) ? 0 : 1);
  return `${String(year).padStart(4, '0')}-${from}`;
};

/** The first day of a value that holds on the tax day; with a season, not before that of the season. `''`: not established. */
export const firstDayOn = ({ from, season }: Seasonal, day: string): string => {
  const start = season ? seasonStart(season, day) : '';
  return from !== null && from > start ? from : start;
};

/**
 * Tell whether the release knows about the value on the tax day, as far as its beginning goes.
 *
 * `from: null` means `established_from`: the value may be older, but nobody has established that it is. Before that day
 * it is not covered: neither the value nor its absence may be taken as an answer.
 */
export const coversDay = ({ from }: Dated, day: string, establishedFrom: string): boolean =>
  from !== null || establishedFrom <= day;

/** Tell whether the value holds on the tax day, or may hold because its first day is not established. */
export const possiblyInForce = ({ from, to, season }: Seasonal, day: string): boolean =>
  (from === null || from <= day) && (to === null || day <= to) && (!season || isInSeason(season, day));

/** Tell whether the value is established to hold on the tax day. Its first and last days are inclusive. */
export const isInForce = (value: Dated, day: string, establishedFrom: string): boolean =>
  coversDay(value, day, establishedFrom) && possiblyInForce(value, day);

/** Select the values that hold on the tax day, in their order. */
export const inForce = <Value extends Dated>(
  values: readonly Value[],
  day: string,
  establishedFrom: string,
): readonly Value[] => values.filter((value) => isInForce(value, day, establishedFrom));

/** The first of the values that holds on the tax day; `undefined` where none is established to. */
export const firstInForce = <Value extends Dated>(
  values: readonly Value[],
  day: string,
  establishedFrom: string,
): Value | undefined => values.find((value) => isInForce(value, day, establishedFrom));

/** The setting of a state that holds on the tax day. One whose first day is not established may always have held. */
export const settingOn = <Setting extends Dated>(settings: readonly Setting[], day: string): Setting | undefined =>
  settings.find((setting) => possiblyInForce(setting, day));
