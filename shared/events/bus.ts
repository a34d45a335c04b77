/** The `source` of every event's envelope. */
export const eventSource = 'levy';

/** The maximum number of events per PutEvents call. If an enrichment returns more, a pipe silently drops its result. */
export const busBatchMax = 10;
