import * as z from 'zod/mini';
import { type EventType, events } from './event.ts';

const titles: Readonly<Record<EventType, string>> = {
  'transaction.created': 'A sale or credit was recorded, as a draft or finalized.',
  'transaction.finalized': 'A sale was finalized. It is included in the filing of its period.',
  'credit.finalized': 'A credit was finalized. It reduces the filing of its period.',
  'transaction.filed':
    'The transaction is included in a filed return in every state where it owes tax. It can no longer be voided.',
  'transaction.voided': 'A transaction was voided by a request. It is not included in any filing.',
  'draft.expired': 'A draft was not finalized before its deadline and became void. Its reference_id can be reused.',
  'filing.closed': "A state's period was closed. The totals for the return are final.",
  'filing.filed': 'A filing was filed, and all of its transactions have the status filed.',
  'filing.canceled': 'A filing was canceled. Its entries are open again.',
  'filing.due_soon': 'A return that is not filed is due soon, by the setting filing_reminder_days of the account.',
  'filing.overdue': 'The due date of a return that is not filed has passed.',
  'content.proposed': 'New official files of a state became a release, which is not active yet.',
  'content.activated': 'A release of official files became active for its state.',
};

const texts: Readonly<Record<string, string>> = {
  event_id: 'Identical for redeliveries of this event. Use it to deduplicate. Opaque.',
  event_type: 'Equals the detail-type of the envelope.',
  account: 'The account that owns the transaction or filing.',
  occurred_at: 'When the change happened, in UTC. For draft.expired, the deadline.',
  text: 'The reminder in one or two sentences, for people.',
  'content.state': 'The jurisdiction code of the state.',
  'content.release': 'The release. `npm run content -- show` prints it, and `activate` activates it.',
  'content.publisher': 'The publisher of the files.',
  'content.files': 'The files that the release was built from.',
  'content.files.*.name': 'The name of the file.',
  'content.files.*.url': 'The URL of the file at its publisher, even if a mirror served it.',
  'content.files.*.sha256': 'The SHA-256 of the content, in hexadecimal.',
  'content.gates': 'The checks that decide whether an update can activate the release.',
  'content.gates.*.name': 'The name of the gate, as `content update --override` accepts it.',
  'content.gates.*.figure': 'The measured value.',
  'content.gates.*.threshold': 'The maximum value at which the gate passes.',
  'content.gates.*.unit': 'The unit of `figure` and `threshold`; empty for a count.',
  'content.gates.*.passed': 'Whether the gate passes.',
  'content.gates.*.text': 'What the gate measures.',
  'content.held': 'Why an update does not activate the release; null if it can.',
  'transaction.id': 'GET /transactions/{id} returns the whole transaction.',
  'transaction.version': 'Increases with each change. Events may arrive out of order: a lower version is older.',
  'transaction.type': 'A sale, or a credit that refunds a sale.',
  'transaction.status': 'The status after this change.',
  'transaction.previous_status': 'The status before this change; null for a new transaction.',
  'transaction.reference_id': 'Your id for the invoice or order.',
  'transaction.parent_transaction_id': 'The sale that a credit refunds.',
  'transaction.currency': 'Three letters, ISO 4217.',
  'transaction.tax_date': 'The day or time whose rates and rules apply.',
  'transaction.total_amount': 'The total with tax, as a decimal string. Also positive for a credit.',
  'transaction.tax_amount': 'The recorded tax, as a decimal string.',
  'filing.id': 'GET /filings/{id} returns the whole filing. Null for an open period, which has no filing yet.',
  'filing.version': 'Increases with each change.',
  'filing.status': 'The status after this change; in a reminder, open, closing or closed.',
  'filing.state': 'The jurisdiction code of the state.',
  'filing.period_start': 'The first day of the period.',
  'filing.period_end': 'The last day of the period.',
  'filing.frequency': 'The length of the period.',
  'filing.due_date': 'The last day for sending the return.',
  'filing.days_until_due': "Days from the account's current day to the due date; negative if it has passed.",
  'filing.amounts_due':
    'The calculated and the over-collected tax by currency, with fees, before a vendor discount and prepayments. Empty without sales. Null until the period is closed.',
  'filing.amounts_due.*.currency': 'Three letters, ISO 4217.',
  'filing.amounts_due.*.amount': 'A decimal string; negative if credits exceed sales.',
  'filing.confirmation_number': 'The confirmation number that the state issued for the return.',
  'filing.summary': 'The totals of the state in each currency. Credits are negative.',
};

const account = 'acct_01JC2W8Q4T6Y9B3F5H7K1M0N2P';

const sale = {
  id: 'txn_01JC3B5N7Q9S2T4V6W8X0Y1Z3A',
  type: 'sale',
  reference_id: 'order-1001',
  parent_transaction_id: null,
  currency: 'USD',
  tax_date: '2026-11-05',
  total_amount: '106.00',
  tax_amount: '6.00',
};

const credit = {
  ...sale,
  id: 'txn_01JC7D9F1H3J5K7M9N2P4Q6R8S',
  type: 'credit',
  reference_id: 'refund-1001-1',
  parent_transaction_id: sale.id,
  total_amount: '53.00',
  tax_amount: '3.00',
};

const filing = {
  id: 'fil_01JE8Z3V5X7C9B1N4M6K8J0H2G',
  state: 'US-MI',
  period_start: '2026-11-01',
  period_end: '2026-11-30',
  frequency: 'month',
  confirmation_number: null,
  summary: [
    {
      currency: 'USD',
      gross_amount: '50.00',
      exempt_amount: '0.00',
      exempt_by_reason: {
        resale: '0.00',
        product: '0.00',
        government: '0.00',
        nonprofit: '0.00',
        direct_pay: '0.00',
        customer: '0.00',
        snap: '0.00',
        marketplace: '0.00',
        not_registered: '0.00',
      },
      not_covered_amount: '0.00',
      taxable_amount: '50.00',
      calculated_tax_amount: '3.00',
      tax_amount: '3.00',
      over_collected_amount: '0.00',
      credit_amount: '-50.00',
      credit_count: 1,
      count: 2,
    },
  ],
};

const transactionEvent = (
  type: string,
  of: typeof sale | typeof credit,
  version: number,
  [previous_status, status]: readonly [before: string | null, after: string],
  occurred_at: string,
) => ({
  event_id: `${of.id}.${version}.${type}`,
  event_type: type,
  account,
  occurred_at,
  transaction: { ...of, version, status, previous_status },
});

const filingEvent = (type: string, version: number, status: string, occurred_at: string, changes = {}) => ({
  event_id: `${filing.id}.${version}.${type}`,
  event_type: type,
  account,
  occurred_at,
  filing: { ...filing, version, status, ...changes },
});

const reminderEvent = (type: string, occasion: string, occurred_at: string, changes: object, text: string) => ({
  event_id: `${account}.US-MI.2026-11-30.${occasion}.${type}`,
  event_type: type,
  ...{ account, occurred_at, text },
  filing: {
    ...{ id: filing.id, status: 'closed', state: 'US-MI', frequency: 'month' },
    ...{ period_start: '2026-11-01', period_end: '2026-11-30', due_date: '2026-12-21' },
    amounts_due: [{ currency: 'USD', amount: '3.00' }],
    ...changes,
  },
});

const content = {
  state: 'US-MN',
  release: 'US-MN@2026-11-23.101',
  publisher: 'Streamlined Sales Tax Governing Board',
  files: [
    {
      name: 'MNR2027Q1NOV18.zip',
      url: 'https://www.streamlinedsalestax.org/ratesandboundry/Rates/MNR2027Q1NOV18.zip',
      sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    },
  ],
  gates: [
    {
      name: 'largest',
      figure: 0.5,
      threshold: 3,
      unit: 'percentage points',
      passed: true,
      text: 'largest change of a combined rate',
    },
  ],
  held: null,
};

const contentEvent = (type: string, occurred_at: string) => ({
  event_id: `${content.release}.${type}`,
  event_type: type,
  occurred_at,
  content,
});

/** One example event of each type, included in the schemas. */
const examples = [
  transactionEvent('transaction.created', sale, 1, [null, 'draft'], '2026-11-05T09:30:00.000Z'),
  transactionEvent('transaction.finalized', sale, 2, ['draft', 'finalized'], '2026-11-05T09:31:12.040Z'),
  transactionEvent('credit.finalized', credit, 1, [null, 'finalized'], '2026-11-07T16:02:45.500Z'),
  transactionEvent('transaction.filed', sale, 4, ['finalized', 'filed'], '2026-12-15T08:00:03.000Z'),
  transactionEvent('transaction.voided', credit, 2, ['finalized', 'void'], '2026-11-08T10:00:00.000Z'),
  transactionEvent('draft.expired', sale, 2, ['draft', 'void'], '2026-11-06T09:30:00.000Z'),
  filingEvent('filing.closed', 2, 'closed', '2026-12-01T00:05:02.000Z'),
  filingEvent('filing.filed', 4, 'filed', '2026-12-15T08:00:04.000Z', { confirmation_number: 'MI-2026-11-778' }),
  filingEvent('filing.canceled', 4, 'canceled', '2026-12-02T11:20:00.000Z'),
  reminderEvent(
    'filing.due_soon',
    '7',
    '2026-12-14T00:00:04.000Z',
    { days_until_due: 7 },
    'The return of US-MI for 2026-11-01 to 2026-11-30 is due on 2026-12-21 (7 days left). The amount due is 3.00 USD.',
  ),
  reminderEvent(
    'filing.overdue',
    'overdue',
    '2026-12-22T00:00:04.000Z',
    { days_until_due: -1, id: null, status: 'open', amounts_due: null },
    'The return of US-MI for 2026-11-01 to 2026-11-30 was due on 2026-12-21, and is not marked as filed. The amount due is not known until the period is closed.',
  ),
  contentEvent('content.proposed', '2026-11-23T07:21:09.000Z'),
  contentEvent('content.activated', '2026-11-23T07:21:14.000Z'),
];

type Node = { properties?: Record<string, Node>; items?: Node; description?: string; additionalProperties?: unknown };

const described = (node: Node, path: readonly string[] = []): Node => ({
  ...(texts[path.join('.')] && { description: texts[path.join('.')] }),
  ...node,
  ...(node.properties && {
    properties: Object.fromEntries(
      Object.entries(node.properties).map(([name, child]) => [name, described(child, [...path, name])]),
    ),
  }),
  ...(node.items?.properties && { items: described(node.items, [...path, '*']) }),
});

/**
 * Returns the published schema of an event's detail. It allows additional properties, so new fields do not break
 * consumers.
 */
const buildEventSchema = (type: EventType): Record<string, unknown> => {
  const { $schema, ...schema } = z.toJSONSchema(events[type], {
    target: 'draft-2020-12',
    io: 'input',
    // Drop the descriptions and component names of the OpenAPI document.
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

/** Returns the files of shared/events/schemas by name. */
export const eventSchemas = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(events) as EventType[]).map((type) => [
      `${type}.json`,
      `${JSON.stringify(buildEventSchema(type), null, 2)}\n`,
    ]),
  );
