import { getFiling } from '../filings/get-filing.ts';
import { FilingQuery } from '../filings/query.ts';
import { filingReply } from '../http/filing-reply.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { filingReadPorts } from '../store/filings/filing-read-ports.ts';
import { pageLimitOf } from '../transactions/page-limit.ts';

export const serve = operation({
  query: FilingQuery,
  run: async ({ query, caller, exchange }) => {
    const { expand = null, starting_after = null } = query;
    const page = { expand, limit: pageLimitOf(query), starting_after };
    const id = exchange.pathParameters['id'] ?? '';
    return mapResult(await getFiling(id, page, caller.account, filingReadPorts), (filing) =>
      filingReply(filing, page.limit, exchange),
    );
  },
});
