import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { loadContent } from '../store/content/load-content.ts';
import { ledgerReads } from '../store/ledger/ledger-reads.ts';
import { replayTransaction } from '../transactions/replay/replay-transaction.ts';

const ports = { ledger: ledgerReads, loadContent, now };

export const serve = operation({
  run: async ({ caller, exchange }) =>
    mapResult(await replayTransaction(exchange.pathParameters['id'] ?? '', caller.account, ports), (replay) => ({
      status: 200,
      body: replay,
    })),
});
