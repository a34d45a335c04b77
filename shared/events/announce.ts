import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { errorWithoutStack, failureLine } from '../observability/failure-line.ts';
import type { LedgerEvent } from './event.ts';
import { filingEvents, transactionEvents } from './item-events.ts';
import { StreamRecord } from './stream-record.ts';

const Records = z.array(StreamRecord);

const readEvents = ({ dynamodb: { NewImage, SequenceNumber } }: StreamRecord): LedgerEvent[] => {
  try {
    const item = unmarshall(NewImage);
    return String(item['pk']).startsWith('F#') ? filingEvents(item) : transactionEvents(item);
  } catch (error) {
    // Lambda logs the whole error: it names the record and has none of its content.
    throw errorWithoutStack(`The record ${SequenceNumber} gives no event: ${failureLine(error).error}.`);
  }
};

/**
 * The events of the records that match the pipe's patterns, in the records' order: at most two for each.
 *
 * A record always gives the same events with the same ids. Throws where a record is not what the store writes; the pipe
 * then bisects its batch and sends that record to the dead-letter queue.
 */
export const announce = (records: unknown): LedgerEvent[] => Records.parse(records).flatMap(readEvents);
