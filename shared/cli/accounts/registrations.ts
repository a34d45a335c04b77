import * as z from 'zod/mini';
import type { Registration } from '../../accounts/account.ts';
import { stateJurisdiction } from '../../jurisdiction.ts';
import { problemIn, type Reading } from '../terminal/arguments.ts';

const day = z.iso.date('Send a date such as 2026-01-01.');

const stateCode = 'Send a two-letter state code.';

const Registrations = z.array(
  z.strictObject(
    {
      state: z.string(stateCode).check(z.refine((text) => stateJurisdiction(text) !== null, stateCode)),
      from: day,
      to: z.nullable(day),
      frequency: z.enum(['month', 'quarter', 'year'], 'Send month, quarter or year.'),
    },
    'Send an object.',
  ),
  'Send an array.',
);

// Days sort as text. One without an end goes on for ever.
const overlaps = (one: Registration, other: Registration): boolean =>
  stateJurisdiction(one.state) === stateJurisdiction(other.state) &&
  one.from <= (other.to ?? '9999') &&
  other.from <= (one.to ?? '9999');

const wrongDays = (registrations: readonly Registration[]): string | null => {
  for (const [index, one] of registrations.entries()) {
    if (one.to !== null && one.to < one.from) return `a "to" that is not before "from" in entry ${index + 1}`;
    const earlier = registrations.slice(0, index).findIndex((other) => overlaps(one, other));
    if (earlier >= 0)
      return `entries that do not overlap: of ${one.state}, entries ${earlier + 1} and ${index + 1} are for the same days`;
  }
  return null;
};

/** Where an account collects tax: each state with the days of its registration; `null` is everywhere. */
export const registrationsFrom = (value: unknown): Reading<Registration[] | null> => {
  if (value === null) return { value };
  const { success, data, error } = Registrations.safeParse(value);
  if (!success) return { send: `null or an array of {state, from, to, frequency} (${problemIn(error)})` };
  const send = wrongDays(data);
  return send === null ? { value: data } : { send };
};
