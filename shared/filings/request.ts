import * as z from 'zod/mini';
import { day, flag, invalidFormat } from '../calculations/fields.ts';
import { stateJurisdiction } from '../content/location/zip-states.ts';
import { isSent, type JsonObject, objectOf } from '../json.ts';
import type { Problem } from '../problem.ts';
import { filingStatuses } from './filing.ts';

const stateAdvice = 'Send a two-letter state code, or the name of the state.';

/** A state: two letters, a jurisdiction code or a name. */
export const state = z.string(stateAdvice).check(z.refine((text) => stateJurisdiction(text) !== null, stateAdvice));

/** The jurisdiction code of a validated state: `US-MI`. */
export const stateOf = (text: string): string => stateJurisdiction(text) as string;

/** The body of POST /filings: the state and period to close (interface decisions 8). */
export const FilingRequest = z.object(
  {
    state,
    period_end: day,
    dry_run: z.nullish(flag),
  },
  'Send a JSON object.',
);
export type FilingRequest = z.infer<typeof FilingRequest>;

const confirmationAdvice = 'Send 1 to 100 characters, without control characters.';

/** The confirmation number that the state gave for the return. */
const confirmationNumber = z.string(confirmationAdvice).check(
  z.maxLength(100, confirmationAdvice),
  z.refine((text) => /\S/.test(text) && !/\p{Cc}/u.test(text), confirmationAdvice),
);

/** The body of POST /filings/{id}: the new status. Statuses that only the service sets are refused. */
export const FilingUpdate = z.object(
  {
    status: z.enum(filingStatuses, 'Send filed or canceled.'),
    confirmation_number: z.nullish(confirmationNumber),
  },
  'Send a JSON object.',
);
export type FilingUpdate = z.infer<typeof FilingUpdate>;

/** Cross-field problems of an update: `filed` needs a confirmation number, and other statuses must not have one. */
export const filingUpdateProblems = (body: unknown): Problem[] => {
  const { status, confirmation_number }: JsonObject = objectOf(body) ?? {};
  if (status === 'filed' && !isSent(confirmation_number))
    return [
      {
        code: 'validation_required_field',
        title: 'Missing field confirmation_number',
        detail: 'Send confirmation_number, the number that the state gave for the return.',
        source: { pointer: '/confirmation_number' },
      },
    ];
  if (filingStatuses.some((one) => one === status && one !== 'filed') && isSent(confirmation_number))
    return [
      invalidFormat(
        '/confirmation_number',
        'Invalid confirmation_number',
        'Send it together with status "filed", or leave it out.',
      ),
    ];
  return [];
};

z.globalRegistry.add(state, {
  description: 'The state: its two letters, its jurisdiction code or its name.',
  examples: ['MI'],
});
