import type { Problem } from '../base/result.ts';

export const statuses = ['draft', 'finalized', 'filed', 'void'] as const;
export type Status = (typeof statuses)[number];

/** The status changes that a client can request. Only the service sets `filed`. */
const transitions: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['finalized', 'void'],
  finalized: ['void'],
  filed: [],
  void: [],
};

const filedAdvice = ' To file it, close the period with POST /filings, then set the filing to filed.';

/**
 * Returns the problem of a status change that is not allowed, or `null`. `advice` states what to do if no change is
 * allowed.
 */
export const statusProblem = (
  what: 'transaction' | 'filing',
  from: string,
  to: string,
  allowed: readonly string[],
  advice: string,
): Problem | null =>
  allowed.includes(to)
    ? null
    : {
        code: 'conflict_invalid_status_transition',
        title: 'Status change not allowed',
        detail:
          allowed.length > 0
            ? `A ${from} ${what} can become ${allowed.join(' or ')}.${what === 'transaction' && to === 'filed' ? filedAdvice : ''}`
            : `A ${from} ${what} cannot change its status. ${advice}`,
        source: { pointer: '/status' },
        meta: { from, to, allowed },
      };

/** Returns the problem of a transaction's status change that is not allowed, or `null`; `advice` as in `statusProblem`. */
export const transitionProblem = (from: Status, to: Status, advice: string): Problem | null =>
  statusProblem('transaction', from, to, transitions[from], advice);
