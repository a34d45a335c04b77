import * as z from 'zod/mini';
import { described } from '../../base/described.ts';
import { listShape, nextCursor, timestamp, version } from '../../base/response-scalars.ts';
import { Transaction } from '../response.ts';

/** An audit entry as the API returns it: every field that its hash covers, and the hash. */
const HistoryEntry = described(
  z.object({
    version,
    at: described(timestamp, 'When the change was made.'),
    by: described(
      z.string(),
      'The credential that made the change: the id of an API key, or `token:` and the subject of a bearer token. `draft_expired` if the draft passed its deadline. `operator` or `retention` if personal data was removed by a command or by the retention setting.',
    ),
    from: described(z.nullable(z.string()), 'The status before the change. `null` on the first entry.'),
    to: described(z.string(), 'The status after the change.'),
    fields: described(z.array(z.string()), 'The names of the changed fields. Empty on the first entry.'),
    state_hash: described(
      z.string(),
      'The hash of the transaction after the change, without `history`, in base64url. It covers salted commitments to personal data instead of the data.',
    ),
    previous_hash: described(z.nullable(z.string()), 'The `hash` of the previous entry. `null` on the first entry.'),
    hash: described(
      z.string(),
      'SHA-256 of the canonical JSON of the other fields of the entry and the id of the transaction, in base64url.',
    ),
  }),
  'A change of a transaction. It is kept forever, and holds the hash of the previous entry so that tampering is detectable.',
  { id: 'HistoryEntry' },
);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const Commitments = described(
  z.object({
    salt: described(
      z.nullable(z.string()),
      'The salt of the commitments. `null` after the personal data was removed: then nobody can check a guess of it.',
    ),
    digest: described(z.string(), 'SHA-256 of the canonical JSON of the commitments by JSON Pointer, in base64url.'),
  }),
  'What `state_hash` covers of the personal data.',
  { id: 'Commitments' },
);

/** The response of GET /transactions/{id}. No write returns the history, and no hash covers it. */
export const RetrievedTransaction = described(
  z.extend(Transaction, {
    commitments: described(
      z.optional(Commitments),
      'What `state_hash` covers of the personal data. Missing unless `expand=history`.',
    ),
    history: described(
      z.nullable(z.array(HistoryEntry)),
      'The newest 50 changes, newest first. `null` unless `expand=history`.',
    ),
  }),
  'A transaction, with its history if `expand=history`.',
  { id: 'RetrievedTransaction' },
);
export type RetrievedTransaction = z.infer<typeof RetrievedTransaction>;

/** The response of GET /transactions/{id}/history. */
export const TransactionHistory = described(
  z.object({
    ...listShape(z.string(), HistoryEntry, 'The changes of the page, newest first.'),
    next_cursor: described(
      nextCursor,
      'Send it as `starting_after` to get the next page: the version of the last entry. `null` on the last page.',
    ),
  }),
  'A page of the changes of a transaction, newest first.',
  { id: 'TransactionHistory' },
);
export type TransactionHistory = z.infer<typeof TransactionHistory>;
