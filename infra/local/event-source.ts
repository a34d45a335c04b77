import type { Context } from 'aws-lambda';
import { countTransactions, handler } from '../../functions/count-transactions.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { matches, openStream, type StreamRecord, streamReader } from './table-stream.ts';

const { patterns, timeoutSeconds } = countTransactions;

const batchSize = 100;
const pauseMs = 250;
const context = { getRemainingTimeInMillis: () => timeoutSeconds * 1000 } as Context;

const isWanted = (record: StreamRecord): boolean => patterns.some((pattern) => matches(pattern, record));

/** Invokes the function with the stream records that it receives in a deployment (infra/stream-consumers.ts). */
export const countRecords = async (records: readonly StreamRecord[]): Promise<void> => {
  const wanted = records.filter(isWanted);
  for (let at = 0; at < wanted.length; at += batchSize)
    await handler({ Records: wanted.slice(at, at + batchSize) }, context);
};

/**
 * Keeps report sums up to date while this process runs, as the event source of a deployment does. A failed batch is
 * logged and retried.
 */
export const startEventSource = async (table: string): Promise<void> => {
  const read = streamReader(await openStream(table));
  let pending: StreamRecord[] = [];
  const poll = async () => {
    try {
      pending = [...pending, ...(await read())];
      await countRecords(pending);
      pending = [];
    } catch (error) {
      console.error('The reports could not be updated:', failureLine(error));
    }
    setTimeout(poll, pauseMs).unref();
  };
  setTimeout(poll, pauseMs).unref();
};
