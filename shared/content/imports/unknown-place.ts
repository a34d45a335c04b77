import type { Entry } from './entry.ts';

/** Where an entry holds, without what it says of it. */
type Where = Omit<Extract<Entry, { kind: 'span' }>, 'locals'> | Omit<Extract<Entry, { kind: 'city' }>, 'locals'>;

/** The code of a jurisdiction without rates, one for each state. */
export const unknownCode = (state: string): string => `US-${state}-UNKNOWN`;

/** The entry that says what an unknown jurisdiction is. */
export const unknownJurisdiction = (state: string): Entry => ({
  kind: 'jurisdiction',
  jurisdiction: { code: unknownCode(state), name: 'Not established', type: 'district', tax_type: 'sales' },
});

/**
 * What a bad row comes to where its place can be read: nobody knows who taxes it, so that it is not covered. Left out, other
 * rows would answer for it, with less.
 */
export const unknownPlace = (state: string, where: Where): readonly Entry[] => [
  unknownJurisdiction(state),
  { ...where, locals: [unknownCode(state)] },
];
