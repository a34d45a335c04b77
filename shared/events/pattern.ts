/**
 * The records of the ledger's stream that are published: those that match one of these patterns. Plain data, for the pipe
 * and the tests. The pipe drops all other records (heads, claims, open entries, progress) free of charge.
 */
export const patterns = [
  // The audit entry of a change of status: only these have `about`.
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'T#' }] }, sk: { S: [{ prefix: 'A#' }] } },
      NewImage: { about: { M: { type: { S: ['sale', 'credit'] } } } },
    },
  },
  // A filing whose work ended: it is closed, filed, or canceled with all of its entries open again.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'F#' }] }, sk: { S: [{ prefix: 'fil_' }] } },
      OldImage: { unfinished: { BOOL: [true] } },
      NewImage: { unfinished: { BOOL: [false] } },
    },
  },
] as const;
