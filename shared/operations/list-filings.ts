import { listFilings } from '../filings/list-filings.ts';
import { FilingListQuery } from '../filings/query.ts';
import { stateOf } from '../filings/request.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { filingReadPorts } from '../store/filings/filing-read-ports.ts';
import { pageLimitOf } from '../transactions/page-limit.ts';

export const serve = operation({
  query: FilingListQuery,
  run: async ({ query, caller }) => {
    const { state, starting_after = null, ...filters } = query;
    const asked = {
      ...filters,
      ...(state !== undefined && { state: stateOf(state) }),
      limit: pageLimitOf(query),
      starting_after,
    };
    return mapResult(await listFilings(asked, caller.account, filingReadPorts), (list) => ({
      status: 200,
      body: list,
    }));
  },
});
