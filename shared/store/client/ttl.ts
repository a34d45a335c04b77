const graceMs = 3_600_000;

/**
 * The `ttl` of an item that holds until `deadlineMs`, in seconds since 1970: an hour later.
 *
 * Time to live only tidies, some day. That a deadline has passed is always read from the deadline itself.
 */
export const ttlSeconds = (deadlineMs: number): number => Math.ceil((deadlineMs + graceMs) / 1000);
