import * as z from 'zod/mini';
import { assert } from '../../base/assert.ts';
import type { StoredTransaction } from '../../ledger/transaction.ts';

type Committed = Pick<StoredTransaction, 'commitments'>;

/** The attributes of a head for its commitments: the salt, or after a redaction the digest. */
export const commitmentShape = { salt: z.optional(z.string()), personal_digest: z.optional(z.string()) };

/** The salt is in no other attribute, so that removing it removes every way to check a guess of the data. */
export const commitmentAttribute = ({ commitments }: Committed): Record<string, string> =>
  'salt' in commitments ? { salt: commitments.salt } : { personal_digest: commitments.digest };

/** The commitments of a head's attributes. Throws where it has both or none. */
export const readCommitments = ({
  salt,
  personal_digest: digest,
}: z.infer<z.ZodMiniObject<typeof commitmentShape>>): Committed => {
  assert((salt === undefined) !== (digest === undefined), 'A transaction has either a salt or a digest.');
  return { commitments: salt === undefined ? { digest: String(digest) } : { salt } };
};
