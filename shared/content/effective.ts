/** Which dated values of a release hold on a tax day. Days are `YYYY-MM-DD` strings, whose order is that of time. */
import type { Dated } from './release.ts';

/**
 * Tell whether the release knows about the value on the tax day, as far as its beginning goes.
 *
 * `from: null` means `established_from`: the value may be older, but nobody has established that it is. Before that day
 * it is not covered: neither the value nor its absence may be taken as an answer.
 */
export const coversDay = ({ from }: Dated, day: string, establishedFrom: string): boolean =>
  from !== null || establishedFrom <= day;

/** Tell whether the value holds on the tax day, or may hold because its first day is not established. */
export const possiblyInForce = ({ from, to }: Dated, day: string): boolean =>
  (from === null || from <= day) && (to === null || day <= to);

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
