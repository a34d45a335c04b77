import type { Making } from './bodies.ts';
import type { Request } from './service.ts';
import { chance, oneOf, oneOrNone } from './world.ts';

/** Requests about filings: close a period, file or cancel it, and read it. */

// The second account has an earlier period.
const periodEnds = ['2026-09-30', '2026-10-31', '2026-10-31', '2026-10-31'] as const;
const variedEnds = ['2026-09-30', '2026-10-31', '2026-10-31', '2026-11-30', '2026-12-31'] as const;

const closed: Making = ({ isVaried }) => ({
  operation: 'createFiling',
  method: 'POST',
  path: '/filings',
  body: {
    state: chance(isVaried ? 0.6 : 0.85) ? 'MI' : 'NJ',
    period_end: oneOf(isVaried ? variedEnds : periodEnds),
    ...(chance(0.1) && { dry_run: true }),
  },
});

const ended: Making = (known, name) => {
  const id = oneOrNone(known.filings) ?? 'fil_0';
  const acknowledge_exceptions = known.exceptions.get(id);
  const body = chance(0.7)
    ? {
        status: 'filed',
        confirmation_number: `number ${name}`,
        ...(acknowledge_exceptions && { acknowledge_exceptions }),
      }
    : { status: 'canceled' };
  return { operation: 'updateFiling', method: 'POST', path: `/filings/${id}`, id, body };
};

const filed: Making = ({ filings }) => {
  const id = oneOrNone(filings) ?? 'fil_0';
  return { operation: 'getFiling', method: 'GET', path: `/filings/${id}`, id, query: { expand: 'entries' } };
};

/** Requests about filings, with how likely they are. */
export const ofFilings: readonly (readonly [number, Making])[] = [
  [20, closed],
  [24, (known, name) => (known.filings.length > 0 ? ended : closed)(known, name)],
  [4, filed],
];

/** A filing that all clients file or cancel. */
export const firstFiling = (): Request => ({
  operation: 'createFiling',
  method: 'POST',
  path: '/filings',
  body: { state: 'MI', period_end: '2026-10-31' },
  key: null,
});
