import * as z from 'zod/mini';
import { headOwner } from '../store/keys.ts';
import { auditEntryFrom } from '../store/ledger/audit-item.ts';
import type { EventType, TransactionEvent } from './event.ts';

const Item = z.object({
  pk: z.string(),
  about: z.object({
    type: z.enum(['sale', 'credit']),
    reference_id: z.optional(z.string()),
    parent_transaction_id: z.optional(z.string()),
    currency: z.string(),
    tax_date: z.string(),
    total_amount: z.string(),
    tax_amount: z.string(),
    expired: z.optional(z.literal(true)),
  }),
});
type About = z.infer<typeof Item>['about'];

const statusEventsOf = (to: string, { type, expired }: About): EventType[] => {
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
  const { type, reference_id = null, parent_transaction_id = null, ...figures } = about;
  const { currency, tax_date, total_amount, tax_amount } = figures;
  const types: EventType[] = [...(from === null ? ['transaction.created' as const] : []), ...statusEventsOf(to, about)];
  return types.map(
    (event_type) =>
      ({
        event_id: `${id}.${version}.${event_type}`,
        event_type,
        account: headOwner(pk).account,
        occurred_at: at,
        transaction: {
          id,
          version,
          type,
          status: to,
          previous_status: from,
          reference_id,
          parent_transaction_id,
          currency,
          tax_date,
          total_amount,
          tax_amount,
        },
        // The schemas fix which status goes with which event. Tests validate every event against them.
      }) as TransactionEvent,
  );
};
