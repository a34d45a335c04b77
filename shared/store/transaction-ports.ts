import { now } from '../config/clock.ts';
import type { Ports } from '../transactions/ports.ts';
import { Contention } from './contention.ts';
import { ledger } from './ledger-store.ts';
import { loadContent } from './load-content.ts';
import { storedBytesMax, storedSize } from './transaction-item.ts';

/** What the transaction use cases need, on DynamoDB. */
export const transactionPorts: Ports = {
  ledger,
  loadContent,
  now,
  storedSize,
  storedBytesMax,
  // Of several at once one is through with every round. What ends it sooner is the invocation's time.
  attemptsMax: 100,
  giveUp: () => {
    throw new Contention('Others keep changing the transaction.');
  },
};
