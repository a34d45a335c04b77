import { transactionEvents } from '../../events/transaction-events.ts';
import type { Writes } from './paper-items.ts';

/** What the ledger's stream tells of a change: how many records the pipe lets through, and how many events these are. */
export type Told = { readonly records: number; readonly events: number };

/** What is told of these writes. One that is created as final is told twice, as created and as final. */
export const toldOf = (writes: Writes): Told => {
  // What a change was about stands beside its audit entry, and the pipe lets no other record of a transaction through.
  const entries = writes.flatMap(({ Put }) => (Put?.Item?.['about'] === undefined ? [] : [Put.Item]));
  return { records: entries.length, events: entries.flatMap(transactionEvents).length };
};
