import { announce } from '../shared/events/announce.ts';
import type { LedgerEvent } from '../shared/events/event.ts';

/** The pipe's enrichment: records of the ledger's stream go in, and what the bus tells of them comes out. */
export const handler = async (records: unknown): Promise<LedgerEvent[]> => announce(records);
