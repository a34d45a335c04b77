import { now } from '../../config/clock.ts';
import type { ChangePorts, Ports } from '../../transactions/ports.ts';
import { Contention, type RemainingMs } from '../client/contention.ts';
import { loadContent } from '../content/load-content.ts';
import { ledger, ledgerWithin } from './ledger-store.ts';
import { storedSize } from './transaction-item.ts';
import { fitsItemLimit } from './transaction-room.ts';

/** The ports of the transaction use cases, on DynamoDB. */
export const transactionPorts: Ports = {
  ledger,
  loadContent,
  now,
  storedSize,
  fitsItemLimit,
  // One of several concurrent changes succeeds in each round. Usually the invocation's time ends the retries first.
  attemptsMax: 100,
  throwContention: () => {
    throw new Contention('Concurrent requests keep changing the transaction.');
  },
};

/** The same ports for an invocation with this much time left. */
export const changePortsWithin = (remainingMs: RemainingMs): ChangePorts => ({
  ...transactionPorts,
  ledger: ledgerWithin(remainingMs),
  remainingMs,
});
