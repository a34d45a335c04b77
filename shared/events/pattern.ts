/**
 * Which records of the ledger's stream are told: one of these patterns matches. Plain data, for the pipe and the tests.
 *
 * Everything else (heads, lines, claims, open entries, progress) is dropped before anything is paid for it.
 */
export const patterns = [
  // The audit entry of a change of status: no other says what the change was about.
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'T#' }] }, sk: { S: [{ prefix: 'A#' }] } },
      NewImage: { about: { M: { type: { S: ['sale', 'credit'] } } } },
    },
  },
  // A filing with which nothing is left to do: it is closed, filed, or canceled with all of its entries open again.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'F#' }] }, sk: { S: [{ prefix: 'fil_' }] } },
      OldImage: { unfinished: { BOOL: [true] } },
      NewImage: { unfinished: { BOOL: [false] } },
    },
  },
] as const;
