import * as z from 'zod/mini';
import { type EventType, events } from './event.ts';
import { examples } from './examples.ts';

const titles: Readonly<Record<EventType, string>> = {
  'transaction.created': 'A sale or a credit was recorded, as a draft or as finalized.',
  'transaction.finalized': 'A sale was finalized. It counts in the filing of its period.',
  'credit.finalized': 'A credit was finalized. It reduces the filing of its period.',
  'transaction.filed': 'Every state that the transaction owes tax to has filed it. It can no longer be voided.',
  'transaction.voided': 'A transaction was voided on request. It counts in no filing.',
  'draft.expired': 'A draft was not finalized before its deadline and became void. Its reference_id is free.',
  'filing.closed': 'The period of a state was closed. The totals for the return are final.',
  'filing.filed': 'A filing was filed, and all of its transactions have the status filed.',
  'filing.canceled': 'A filing was canceled. Its entries are open again.',
};

const texts: Readonly<Record<string, string>> = {
  event_id: 'Identical for redeliveries of this event. Use it to deduplicate. Opaque.',
  event_type: 'Equals the detail-type of the envelope.',
  account: 'The account of the ledger.',
  occurred_at: 'When the change happened, in UTC. For draft.expired, the deadline.',
  'transaction.id': 'GET /transactions/{id} returns the whole transaction.',
  'transaction.version': 'Increases with each change. Events may arrive out of order: a lower version is older.',
  'transaction.type': 'A sale, or a credit that refunds one.',
  'transaction.status': 'The status after this change.',
  'transaction.previous_status': 'The status before this change; null for a new transaction.',
  'transaction.reference_id': 'Your id of the invoice or order.',
  'transaction.parent_transaction_id': 'The sale that a credit refunds.',
  'transaction.currency': 'Three letters, ISO 4217.',
  'transaction.tax_date': 'The day or instant whose rates and rules apply.',
  'transaction.total_amount': 'The total with tax, as a decimal string. Positive for a credit, too.',
  'transaction.tax_amount': 'The recorded tax, as a decimal string.',
  'filing.id': 'GET /filings/{id} returns the whole filing.',
  'filing.version': 'Increases with each change.',
  'filing.status': 'The status after this change.',
  'filing.state': 'The jurisdiction code of the state.',
  'filing.period_start': 'The first day of the period.',
  'filing.period_end': 'The last day of the period.',
  'filing.frequency': 'The length of the period.',
  'filing.confirmation_number': 'The confirmation number that the state gave for the return.',
  'filing.summary': 'The totals of the state for each currency. Credits are negative.',
};

type Node = { properties?: Record<string, Node>; description?: string; additionalProperties?: unknown };

const described = (node: Node, path: readonly string[] = []): Node => ({
  ...(texts[path.join('.')] && { description: texts[path.join('.')] }),
  ...node,
  ...(node.properties && {
    properties: Object.fromEntries(
      Object.entries(node.properties).map(([name, child]) => [name, described(child, [...path, name])]),
    ),
  }),
});

/** The published schema of an event's detail. It allows additional properties, so that a new field breaks no consumer. */
const eventSchemaOf = (type: EventType): Record<string, unknown> => {
  const { $schema, ...schema } = z.toJSONSchema(events[type], {
    target: 'draft-2020-12',
    io: 'input',
    // Without the descriptions and component names of the OpenAPI document.
    metadata: z.registry(),
  });
  return {
    $schema,
    $id: `urn:levy:event:${type}`,
    title: type,
    description: titles[type],
    ...described(schema as Node),
    examples: examples.filter(({ event_type }) => event_type === type),
  };
};

/** The files of shared/events/schemas, by name. */
export const schemaFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(events) as EventType[]).map((type) => [
      `${type}.json`,
      `${JSON.stringify(eventSchemaOf(type), null, 2)}\n`,
    ]),
  );
