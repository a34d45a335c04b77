import { announce } from '../shared/events/announce.ts';
import type { LedgerEvent } from '../shared/events/event.ts';

/** The pipe's enrichment: converts records of the ledger's stream to events for the bus. */
export const handler = async (records: unknown): Promise<LedgerEvent[]> => announce(records);
