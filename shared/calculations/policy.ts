import type { Settings } from '../accounts/account.ts';
import type { Coverage } from '../content/release.ts';
import type { Problem } from '../problem.ts';
import { describeAmbiguity } from './ambiguity.ts';
import type { LocatedLine } from './locate-lines.ts';

const incompleteText = (coverage: Coverage, decisive: LocatedLine['decisive']): string => {
  if (coverage === 'none') return 'it is not covered';
  return decisive.some(({ lacksLocals }) => lacksLocals)
    ? 'local rates are missing'
    : 'the rates of the tax day are not on record, only those of another day';
};

/** The refusal of a place by the account's policies, or `null`. */
export const policyProblem = (
  { resolution, place, decisive, pointer, pointers }: LocatedLine,
  settings: Settings,
): Problem | null => {
  if (settings.incomplete_coverage === 'reject' && resolution.coverage !== 'complete') {
    const incomplete = decisive.find(({ resolution: { coverage } }) => coverage === resolution.coverage);
    return {
      code: 'validation_not_covered',
      title: 'Address not covered',
      detail: `${place.name}: ${incompleteText(resolution.coverage, decisive)}, and the account's incomplete_coverage policy is reject.`,
      source: { pointer: incomplete ? pointers[incomplete.at] : pointer },
    };
  }
  const ambiguous = decisive.find(({ resolution: { ambiguous: isAmbiguous } }) => isAmbiguous);
  if (settings.ambiguous_address === 'reject' && ambiguous) {
    const { why, advice } = describeAmbiguity(ambiguous);
    return {
      code: 'validation_address_unresolvable',
      title: 'Address is ambiguous',
      detail: `${ambiguous.place.name}: ${why} The account's ambiguous_address policy is reject. ${advice}`,
      source: { pointer: pointers[ambiguous.at] },
    };
  }
  return null;
};
