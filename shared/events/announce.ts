import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { isObjectOrArray } from '../json.ts';
import { failureLine } from '../observability/failure-line.ts';
import type { LedgerEvent } from './event.ts';
import { filingEvents } from './filing-events.ts';
import { transactionEvents } from './transaction-events.ts';

/** A record of the ledger's stream as the pipe hands it over, as far as it is read. */
const StreamRecord = z.object({
  dynamodb: z.object({
    SequenceNumber: z.string().check(z.regex(/^\d{1,40}$/)),
    NewImage: z.custom<Parameters<typeof unmarshall>[0]>(isObjectOrArray),
  }),
});
const Records = z.array(StreamRecord);

const eventsOf = ({ dynamodb: { NewImage, SequenceNumber } }: z.infer<typeof StreamRecord>): LedgerEvent[] => {
  try {
    const item = unmarshall(NewImage);
    return String(item['pk']).startsWith('F#') ? filingEvents(item) : transactionEvents(item);
  } catch (error) {
    // Lambda logs what is thrown, whole: so it names the record, and says nothing of what is in it.
    const failed = new Error(`The record ${SequenceNumber} cannot be told: ${failureLine(error).error}.`);
    delete failed.stack;
    throw failed;
  }
};

/**
 * The events of records that the pipe's patterns let through, in the records' order: at most two for each.
 *
 * The same record gives the same events with the same ids, however often it comes. Throws where a record is not what
 * the store writes; the pipe then halves its batch until that one is alone, and sets it aside.
 */
export const announce = (records: unknown): LedgerEvent[] => Records.parse(records).flatMap(eventsOf);
