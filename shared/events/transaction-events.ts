import * as z from 'zod/mini';
import { headOwner } from '../store/keys.ts';
import { auditEntryFrom } from '../store/ledger/audit-item.ts';
import { events, type TransactionEvent } from './event.ts';

const Item = z.object({
  pk: z.string(),
  about: z.looseObject({ type: z.enum(['sale', 'credit']), expired: z.optional(z.literal(true)) }),
});
type About = z.infer<typeof Item>['about'];
type Type = TransactionEvent['event_type'];

const statusEventsOf = (to: string, { type, expired }: About): Type[] => {
  if (to === 'finalized') return [type === 'sale' ? 'transaction.finalized' : 'credit.finalized'];
  if (to === 'filed') return ['transaction.filed'];
  if (to === 'void') return [expired ? 'draft.expired' : 'transaction.voided'];
  return [];
};

/**
 * The events of an audit entry that changed the status. A transaction that is created as final has two: a consumer may
 * subscribe to either.
 */
export const transactionEvents = (item: unknown): TransactionEvent[] => {
  const { transactionId: id, version, at, from, to } = auditEntryFrom(item);
  const { pk, about } = Item.parse(item);
  const types: Type[] = [...(from === null ? ['transaction.created' as const] : []), ...statusEventsOf(to, about)];
  return types.map((event_type) =>
    // The schema drops the fields that no event has.
    events[event_type].parse({
      event_id: `${id}.${version}.${event_type}`,
      event_type,
      account: headOwner(pk).account,
      occurred_at: at,
      transaction: {
        reference_id: null,
        parent_transaction_id: null,
        ...about,
        id,
        version,
        status: to,
        previous_status: from,
      },
    }),
  );
};
