import type { Entry } from './entry.ts';

/** A span or city entry without its jurisdictions. */
type Where = Omit<Extract<Entry, { kind: 'span' }>, 'locals'> | Omit<Extract<Entry, { kind: 'city' }>, 'locals'>;

/** The code of a jurisdiction without rates, one for each state. */
export const unknownCode = (state: string): string => `US-${state}-UNKNOWN`;

/** The entry of the jurisdiction without rates. */
export const unknownJurisdiction = (state: string): Entry => ({
  kind: 'jurisdiction',
  jurisdiction: { code: unknownCode(state), name: 'Not established', type: 'district', tax_type: 'sales' },
});

/**
 * Entries that make the place of a bad row not covered. If the row were skipped, other rows would apply to the place, with
 * too little tax.
 */
export const unknownPlace = (state: string, where: Where): readonly Entry[] => [
  unknownJurisdiction(state),
  { ...where, locals: [unknownCode(state)] },
];
