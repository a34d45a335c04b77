import * as z from 'zod/mini';
import { type EventType, events } from './event.ts';
import { examples } from './examples.ts';

const titles: Readonly<Record<EventType, string>> = {
  'transaction.created': 'A transaction was recorded, as a draft or final at once. A sale or a credit.',
  'transaction.finalized': 'A sale became final: it counts for the filing of its period.',
  'credit.finalized': 'A credit became final: it is taken off the filing of its period.',
  'transaction.filed':
    'Every state that a transaction owes tax to has it in a filing that was filed. It can no longer be voided.',
  'transaction.voided': 'A transaction was voided on request. A draft never counted; a final one counts no more.',
  'draft.expired': 'A draft was not finalized before its deadline, and is void since then. Its reference_id is free.',
  'filing.closed': 'The period of a state is closed: the totals for the return are final.',
  'filing.filed': 'A filing was filed, and all of its transactions are marked.',
  'filing.canceled': 'A filing was canceled, and all of its entries are open again.',
};

const texts: Readonly<Record<string, string>> = {
  event_id: 'The same whenever this event comes again: keep the ones that you have dealt with. Opaque.',
  event_type: 'As the detail-type of the envelope.',
  account: 'Whose ledger it is.',
  occurred_at: 'When it happened by the service, in UTC; of a draft that expired, its deadline.',
  'transaction.id': 'GET /transactions/{id} answers the whole of it.',
  'transaction.version': 'Grows with each change. Events may come out of order: what has a lower version is older.',
  'transaction.type': 'What it records: a sale, or a credit that takes one back.',
  'transaction.status': 'What it is since this change.',
  'transaction.previous_status': 'What it was before; null if it was not there.',
  'transaction.reference_id': 'Your name for it.',
  'transaction.parent_transaction_id': 'What a credit takes back.',
  'transaction.currency': 'Three letters, ISO 4217.',
  'transaction.tax_date': 'The day or instant whose rates and rules count.',
  'transaction.total_amount': 'With the tax; decimal, in the currency. Positive for a credit, too.',
  'transaction.tax_amount': 'The recorded tax.',
  'filing.id': 'GET /filings/{id} answers the whole of it.',
  'filing.version': 'Grows with each change.',
  'filing.status': 'What it is since this change, with nothing left to do.',
  'filing.state': 'The jurisdiction code of the state.',
  'filing.period_start': 'First day.',
  'filing.period_end': 'Last day.',
  'filing.frequency': 'How long the period is.',
  'filing.confirmation_number': 'What the state answered to the return.',
  'filing.summary': 'The state as a whole, for each currency; what credits took is negative.',
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

/** The published schema of an event's detail. Open: a field that is new must break nobody. */
export const eventSchemaOf = (type: EventType): Record<string, unknown> => {
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
