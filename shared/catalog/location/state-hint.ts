import { closest } from '../../vocabulary/closest.ts';
import { normalizedState, stateJurisdictions, stateName, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';

/** Abbreviations that are neither codes of the postal service nor the beginning of a name. */
const abbreviations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ USVI: 'VI', 'US VI': 'VI', SAMOA: 'AS', CNMI: 'MP', NMI: 'MP', SAIPAN: 'MP', 'MARIANA ISLANDS': 'MP' },
    ...{ FSM: 'FM', MICRONESIA: 'FM', RMI: 'MH', FLA: 'FL', PENNA: 'PA' },
  }),
);

const namesByCode = stateJurisdictions
  .map(stateOfJurisdiction)
  .map((code) => [normalizedState(stateName(code)), code] as const);
const beginningMin = 4;

/** The two-letter code that a misspelt or abbreviated state probably means; `null` if that is not clear. */
export const stateHint = (text: string): string | null => {
  const name = normalizedState(text);
  const known = abbreviations.get(name);
  if (known !== undefined) return known;
  const begun = name.length < beginningMin ? [] : namesByCode.filter(([full]) => full.startsWith(name));
  const [only] = begun;
  if (only && begun.length === 1) return only[1];
  const close = closest(
    name,
    namesByCode.map(([full]) => full),
    2,
  );
  return namesByCode.find(([full]) => full === close)?.[1] ?? null;
};
