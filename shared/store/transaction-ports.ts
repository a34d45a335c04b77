import { now } from '../config/clock.ts';
import { builtInRelease, builtInReleaseById } from '../content/built-in.ts';
import type { Ports } from '../transactions/ports.ts';
import { Contention } from './contention.ts';
import { ledger } from './ledger-store.ts';
import { storedBytesMax, storedSize } from './transaction-item.ts';

/** What the transaction use cases need, on DynamoDB and the built-in content. */
export const transactionPorts: Ports = {
  ledger,
  releaseFor: builtInRelease,
  releaseById: builtInReleaseById,
  now,
  storedSize,
  storedBytesMax,
  // Of several at once one is through with every round. What ends it sooner is the invocation's time.
  attemptsMax: 100,
  giveUp: () => {
    throw new Contention('Others keep changing the transaction.');
  },
};
