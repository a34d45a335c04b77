/** Which release is active for each state: one directory of all states, written on conditions. */
import { environment } from '../../config/environment.ts';
import { type ActiveReleases, withActive, withPrevious } from '../../content/loading/active-releases.ts';
import type { Problem } from '../../problem.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { releaseHeadKey, stateOfRelease } from '../keys.ts';
import { activeReleasesItem } from './content-item.ts';
import { transact } from './content-transaction.ts';

const TableName = environment.tables.content;

const noSuchRelease = (id: string, state: string): Problem => ({
  code: 'not_found',
  title: 'No such release',
  detail: `${state} has no finished release ${id}.`,
});

const moved: Problem = {
  code: 'precondition_failed',
  title: 'Active releases have changed',
  detail: 'Somebody else activated a release in the meantime. Look at the active releases again and decide anew.',
};

/**
 * Make a release the one that a state's calculations rest on, on the condition that the directory is as it was seen;
 * `null` is back to the built-in one. Instances notice within 60 s.
 *
 * Refused: a release that does not exist, that is not finished, or that is another state's; and a directory that has
 * changed since.
 */
export const activateRelease = async (
  state: string,
  id: string | null,
  seen: ActiveReleases,
  at: string,
): Promise<Result<ActiveReleases>> =>
  id !== null && stateOfRelease(id) !== state
    ? refuse(noSuchRelease(id, state))
    : writeDirectory(state, seen, withActive(seen, state, id, at));

/** Make the release before the active one of a state active again, on the same conditions; without one, the built-in one. */
export const goBack = (state: string, seen: ActiveReleases, at: string): Promise<Result<ActiveReleases>> =>
  writeDirectory(state, seen, withPrevious(seen, state, at));

const writeDirectory = async (
  state: string,
  seen: ActiveReleases,
  next: ActiveReleases,
): Promise<Result<ActiveReleases>> => {
  const id = next.states[state]?.release ?? null;
  const { failed } = await transact(activation(id, seen, next));
  if (failed.includes(0)) return refuse(moved);
  if (failed.includes(1) && id !== null) return refuse(noSuchRelease(id, state));
  return accept(next);
};

const activation = (id: string | null, seen: ActiveReleases, next: ActiveReleases) => [
  {
    Put: {
      TableName,
      Item: activeReleasesItem(next),
      ...(seen.version === 0
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seen.version } }),
    },
  },
  ...(id === null
    ? []
    : [{ ConditionCheck: { TableName, Key: releaseHeadKey(id), ConditionExpression: 'attribute_exists(pk)' } }]),
];
