import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { RatesQuery } from '../rates/query.ts';
import { findRates } from '../rates/rates.ts';
import { mapResult } from '../result.ts';
import { loadContent } from '../store/content/load-content.ts';

const ports = { loadContent, now };

export const serve = operation({
  query: RatesQuery,
  run: async ({ query, caller }) =>
    mapResult(await findRates(query, caller.account.settings, ports), (body) => ({ status: 200, body })),
});
