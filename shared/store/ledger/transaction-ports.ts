import { now } from '../../config/clock.ts';
import type { ChangePorts, Ports } from '../../transactions/ports.ts';
import { Contention, type RemainingMs } from '../client/contention.ts';
import { loadContent } from '../content/load-content.ts';
import { ledger, ledgerWithin } from './ledger-store.ts';
import { storedSize } from './transaction-item.ts';
import { fitsItemLimit } from './transaction-room.ts';

/** What the transaction use cases need, on DynamoDB. */
export const transactionPorts: Ports = {
  ledger,
  loadContent,
  now,
  storedSize,
  fitsItemLimit,
  // Of several at once one is through with every round. What ends it sooner is the invocation's time.
  attemptsMax: 100,
  throwContention: () => {
    throw new Contention('Others keep changing the transaction.');
  },
};

/** The same for an invocation that lasts so long. */
export const changePortsWithin = (remainingMs: RemainingMs): ChangePorts => ({
  ...transactionPorts,
  ledger: ledgerWithin(remainingMs),
  remainingMs,
});
