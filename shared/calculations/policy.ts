import type { Settings } from '../accounts/account.ts';
import type { Problem } from '../problem.ts';
import type { LocatedLine } from './locate-lines.ts';

/** The refusal of a place that the account's policies reject, or `null` (interface decisions 2). */
export const policyProblem = ({ resolution, place, pointer }: LocatedLine, settings: Settings): Problem | null => {
  if (settings.incomplete_coverage === 'reject' && resolution.coverage !== 'complete')
    return {
      code: 'validation_not_covered',
      title: 'Address not covered',
      detail: `${place.name}: the content ${resolution.coverage === 'none' ? 'does not cover it' : 'lacks local rates'}, and the account's incomplete_coverage policy is reject.`,
      source: { pointer },
    };
  if (settings.ambiguous_address === 'reject' && resolution.ambiguous)
    return {
      code: 'validation_address_unresolvable',
      title: 'Address is ambiguous',
      detail:
        "Its postal code spans jurisdictions, and the account's ambiguous_address policy is reject. Send the state and a ZIP+4.",
      source: { pointer },
    };
  return null;
};
