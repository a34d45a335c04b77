import { useState } from 'preact/hooks';
import { everyItem, type Schemas } from '../../client/client.ts';
import { ActionButton, useAction } from './actions.tsx';
import { counted, getCredited, getStateLetters, grouped, isZero, money, percent, toWords } from './format.ts';
import { brokenVersion } from './history-chain.ts';
import { Fetch, Get, readData } from './load.tsx';
import { Actor, Amount, Button, Facts, Instant, Message, Panel, Status, TransactionLink } from './parts.tsx';
import { ReviewNotices } from './review.tsx';
import { linkTo } from './route.ts';
import { Table, useShown } from './table.tsx';
import { TransactionActions } from './transaction-actions.tsx';

type Document = Schemas['RetrievedTransaction'];
type Line = Document['line_items'][number];
type TransactionProps = { readonly transaction: Document };

/** Formats an address on one line. Redaction keeps the city, the state and the ZIP code. */
const addressText = (address: Schemas['Customer']['address'] | undefined): string | null =>
  address
    ? [address.line1, address.city, address.state, address.postal_code, address.country].filter(Boolean).join(', ')
    : null;

/** A labeled detail, or nothing if it has no value. */
const detail = (name: string, text: string | null | undefined): string[] => (text ? [`${name} ${text}`] : []);
const discount = (name: string, amount: string): string[] => (isZero(amount) ? [] : detail(name, grouped(amount)));

/** Formats what exempted a line: `resale, certificate R-1, to 2026-12-31`. Redaction removes the number. */
const exemptionText = ({ applied_exemption: applied }: Line): string | null =>
  applied &&
  [
    toWords(applied.reason),
    ...detail('certificate', applied.certificate_number),
    ...detail('from', applied.valid_from),
    ...detail('to', applied.valid_to),
  ].join(', ');

const getTitle = (line: Line): string => line.description ?? line.product_tax_code ?? line.id;

/**
 * Returns the lines and shipping charges of a document. If `shipping` is a list, the titles include the ids of the
 * charges.
 */
const listCharges = ({ line_items, shipping, tax_included }: Document) => {
  const titles = new Map(line_items.map((line) => [line.id, getTitle(line)]));
  const titleOfId = (id: string) => titles.get(id) ?? id;
  const listDiscounts = (line: Line): string[] => {
    const { parent_line_item_id: parent } = line;
    if (line.unit_price.startsWith('-')) return [`discount of ${parent ? titleOfId(parent) : 'other charges'}`];
    return [
      ...discount('discount', line.applied_discount_amount),
      ...discount('third-party discount', line.applied_third_party_discount_amount),
    ];
  };
  const lines = line_items.map((line) => ({
    ...line,
    title: getTitle(line),
    details: [
      ...(line.description && line.product_tax_code ? [line.product_tax_code] : []),
      ...detail('fulfillment:', line.fulfillment),
      ...detail('from', addressText(line.ship_from?.address)),
      ...detail('customer', line.customer?.id),
      ...detail('to', addressText(line.customer?.address)),
      ...detail('exempt:', exemptionText(line)),
      `${line.quantity} × ${grouped(line.unit_price)}${tax_included ? ' with tax' : ''}`,
      ...listDiscounts(line),
    ],
  }));
  const charges = [shipping ?? []].flat().map((charge) => ({
    ...charge,
    title: Array.isArray(shipping) ? `Shipping ${charge.id}` : 'Shipping',
    details: [
      ...(charge.product_tax_code ? [charge.product_tax_code] : []),
      ...detail('for', charge.line_item_ids?.map(titleOfId).join(', ')),
      ...detail('from', addressText(charge.ship_from?.address)),
      ...detail('to', addressText(charge.ship_to?.address)),
      grouped(charge.amount),
      ...discount('discount', charge.applied_discount_amount),
    ],
  }));
  return [...lines, ...charges];
};

/** Returns the index in `listCharges` of the charge that a JSON Pointer refers to; `null` if it refers to no charge. */
const chargeIndex = (pointer: string | null, { line_items }: Document): number | null => {
  const [, field, index = '0'] = /^\/(line_items(?=\/)|shipping)(?:\/(\d+))?/.exec(pointer ?? '') ?? [];
  return field ? Number(index) + (field === 'shipping' ? line_items.length : 0) : null;
};

/** Returns the title of the charge that a JSON Pointer refers to; `null` if it refers to no charge. */
const titleAt = (pointer: string, document: Document): string | null => {
  const at = chargeIndex(pointer, document);
  return at === null ? null : (listCharges(document)[at]?.title ?? null);
};

/** Formats a JSON Pointer as words: `/line_items/0/taxes/1/rate` becomes `Desk lamp: taxes 2 rate`. */
const fieldName = (pointer: string, document: Document): string => {
  const title = titleAt(pointer, document);
  const parts = (title === null ? pointer : pointer.replace(/^\/(line_items|shipping)(\/\d+)?/, ''))
    .split('/')
    .slice(1);
  const words = parts.map((part) => (/^\d+$/.test(part) ? Number(part) + 1 : toWords(part))).join(' ');
  return [title, words].filter(Boolean).join(': ');
};

type Step = Schemas['ExplanationStep'];

const StepList = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="steps">
    {steps.map(({ step, text, citation }, at) => (
      <li key={at}>
        <span class="step">{toWords(step)}</span> <Message value={text} />
        {citation && <cite>{citation}</cite>}
      </li>
    ))}
  </ol>
);

/** The steps of an explanation, in the order of the charges, with a title above the steps of each charge. */
const Steps = ({ steps, transaction }: TransactionProps & { steps: readonly Step[] }) => {
  const charges = listCharges(transaction);
  const groups = [...Map.groupBy(steps, ({ pointer }) => chargeIndex(pointer, transaction))];
  const { shown, button } = useShown(groups, { name: ' lines' });
  return (
    <>
      {shown.map(([index, group]) =>
        index === null ? (
          <StepList key="document" steps={group} />
        ) : (
          <details key={index} open={charges.length <= 5}>
            <summary>
              <strong>{charges[index]?.title}</strong>
            </summary>
            <StepList steps={group} />
          </details>
        ),
      )}
      {button}
    </>
  );
};

const outputs = /^(taxes|tax_summary|(?!discount_|third_party_discount_).+_amount)$/;

/**
 * Converts a document to a request that recalculates it. Omits the calculated amounts, which would count toward the
 * request size.
 */
const buildRequest = (transaction: Document): Schemas['CalculationRequest'] =>
  JSON.parse(
    JSON.stringify({ ...transaction, explain: true }, (name, value) => (outputs.test(name) ? undefined : value)),
  );

const Recalculated = ({ transaction }: TransactionProps) => (
  <Fetch
    what="the explanation"
    read={(levy, signal) => readData(levy.post('/calculations', { body: buildRequest(transaction), signal }))}
  >
    {({ explanation, tax_amount }) => (
      <>
        {tax_amount !== transaction.calculated_tax_amount && (
          <p class="notice">
            With today’s content, settings and certificates the tax is {tax_amount}; the recorded calculation has{' '}
            {transaction.calculated_tax_amount}. The steps below are of today. Replay compares with the recorded
            content.
          </p>
        )}
        <Steps steps={explanation ?? []} transaction={transaction} />
      </>
    )}
  </Fetch>
);

/**
 * The explanation of each amount, with citations: as recorded, or recalculated on request. A credit of a sale cannot be
 * recalculated, because the sale already counts it as credited.
 */
const Explanation = ({ transaction }: TransactionProps) => {
  const [isRequested, setRequested] = useState(false);
  const { explanation: recorded, parent_transaction_id: parent } = transaction;
  if (recorded) return <Steps steps={recorded} transaction={transaction} />;
  if (parent)
    return (
      <p>
        A credit returns the tax of <a href={linkTo(['transactions', parent])}>the sale</a>, which has the explanation.
      </p>
    );
  if (isRequested) return <Recalculated transaction={transaction} />;
  return <Button onClick={() => setRequested(true)}>Explain the tax</Button>;
};

/** All changes of a transaction, and whether their hash chain is intact. */
const History = ({ transaction: { id, version } }: TransactionProps) => (
  <Fetch
    query={String(version)}
    what="the history"
    read={async (levy, signal) => {
      const page = (cursor: object) =>
        readData(levy.get('/transactions/{id}/history', { path: { id }, query: { limit: 100, ...cursor }, signal }));
      const entries = await Array.fromAsync(everyItem(page));
      const oldestFirst = entries.toSorted((a, b) => a.version - b.version);
      return { entries, broken: await brokenVersion(id, oldestFirst, version) };
    }}
  >
    {({ entries, broken }) => (
      <>
        <p class={broken === null ? 'notice good' : 'notice bad'} role="status">
          {broken === null
            ? `The chain of hashes is intact, in ${counted(entries.length, 'version')}: this page computed the hash of each entry, and each contains the previous hash. An operator of the service can also verify the amounts above.`
            : `The chain is broken at version ${broken}. Tell the operator of your Levy service, and change nothing until the cause is known.`}
        </p>
        <Table
          caption="Changes"
          columns={[
            ['Version', (row) => row.version, 'figure'],
            ['At', (row) => <Instant value={row.at} />],
            ['By', (row) => <Actor value={row.by} />],
            ['Status', (row) => (row.from === row.to ? row.to : `${row.from ?? 'new'} → ${row.to}`)],
            ['Fields', (row) => row.fields.join(', ')],
            ['Hash', (row) => <code>{row.hash.slice(0, 12)}…</code>],
          ]}
          rows={entries}
          empty="No entries."
        />
      </>
    )}
  </Fetch>
);

type Replayed = Schemas['Replay'];

const Outcome = ({ replayed, document }: { replayed: Replayed; document: Document }) => (
  <>
    <p role="status" class={replayed.match === null ? 'notice' : `notice ${replayed.match ? 'good' : 'bad'}`}>
      {replayed.match === true && 'The same amounts with the recorded content.'}
      {replayed.match === false && `${replayed.difference_count} figures differ.`}
      {replayed.match === null && `Not comparable: ${replayed.detail ?? replayed.reason}`}
    </p>
    {replayed.match === false && (
      <Table
        caption="Differences"
        columns={[
          ['Field', ({ pointer }) => fieldName(pointer, document)],
          ['Recorded', (row) => row.recorded, 'figure'],
          ['Replayed', (row) => row.replayed, 'figure'],
        ]}
        rows={replayed.differences}
      />
    )}
  </>
);

/** Recalculates a recorded document with the tax content of the recording. Stores nothing. */
const Replay = ({ transaction }: TransactionProps) => {
  const [outcome, setOutcome] = useState<Replayed | null>(null);
  const action = useAction(
    (levy) => readData(levy.post('/transactions/{id}/replay', { path: { id: transaction.id } })),
    setOutcome,
  );
  return (
    <>
      <ActionButton action={action} label="Replay" />
      {outcome && <Outcome replayed={outcome} document={transaction} />}
    </>
  );
};

/** The base of a tax: `6% of 100.00, 20.00 exempt`. A fee has none. */
const baseText = ({ tax_type, rate, taxable_amount, exempt_amount }: Schemas['TaxRow']): string => {
  if (tax_type === 'fee') return 'fee';
  const exempt = isZero(exempt_amount) ? '' : `, ${money(exempt_amount)} exempt`;
  return `${percent(rate)} of ${money(taxable_amount)}${exempt}`;
};

const Taxes = ({ taxes }: { taxes: Line['taxes'] }) =>
  taxes.length === 0 ? (
    <p>No jurisdiction taxes this line.</p>
  ) : (
    <ul>
      {taxes.map((row, at) => (
        <li key={at}>
          {row.jurisdiction_name}: {money(row.tax_amount)} ({baseText(row)}). {toWords(row.taxability_reason)}
          {row.rule_id && (
            <>
              , rule <code>{row.rule_id}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  );

/** The lines with their jurisdictions and reasons. */
const Lines = ({ transaction }: TransactionProps) => {
  const charges = listCharges(transaction);
  const { shown, button } = useShown(charges, { name: ' lines' });
  return (
    <>
      {transaction.calculated_tax_amount !== transaction.tax_amount && (
        <p class="hint">
          The tax of lines and jurisdictions is the recorded tax, so it differs from the rate times the taxable amount.
        </p>
      )}
      {shown.map(({ id, title, details, net_amount, tax_amount, taxes }) => (
        <details key={id} open={charges.length <= 5}>
          <summary>
            <strong>{title}</strong>
            {[...details, `net ${money(net_amount)}`, `tax ${money(tax_amount)}`].map((text) => ` · ${text}`)}
          </summary>
          <Taxes taxes={taxes} />
        </details>
      ))}
      {button}
    </>
  );
};

const discountsText = ({ applied_discount_amount, discount_applies_to }: Document): string =>
  `${money(applied_discount_amount)}${discount_applies_to === 'line_items_and_shipping' ? ' on lines and shipping' : ''}`;

const Summary = ({ transaction }: TransactionProps) => (
  <Facts
    value={{
      Status: <Status value={transaction.status} />,
      Type: transaction.type,
      // The first ten characters of the timestamp are the tax day in the account's time zone.
      'Tax date': transaction.tax_date.slice(0, 10),
      Customer: transaction.customer?.id && <CustomerLink id={transaction.customer.id} />,
      'Ship to': addressText(transaction.customer?.address),
      'Ship from': addressText(transaction.ship_from?.address),
      Subtotal: <Amount value={transaction.subtotal_amount} />,
      Discounts: !isZero(transaction.applied_discount_amount) && discountsText(transaction),
      Shipping: <Amount value={transaction.shipping_amount} />,
      Taxable: <Amount value={transaction.taxable_amount} />,
      Exempt: <Amount value={transaction.exempt_amount} />,
      'Collected by': transaction.collected_by === 'marketplace' && 'marketplace',
      'Tax collected': <Amount value={transaction.tax_amount} />,
      'Calculated tax': <Amount value={transaction.calculated_tax_amount} />,
      Total: <Amount value={transaction.total_amount} currency={transaction.currency} />,
      Refunds: transaction.refund_status !== 'none' && transaction.refund_status,
      Created: <Instant value={transaction.created_at} />,
      Expires: transaction.status === 'draft' && transaction.expires_at && <Instant value={transaction.expires_at} />,
      'Void reason': transaction.void_reason,
      Note: transaction.metadata['note'],
      Content: Object.values(transaction.content_releases).join(', '),
      'Filed returns': transaction.filings.length > 0 ? <FilingLinks transaction={transaction} /> : 'none',
    }}
  />
);

const CustomerLink = ({ id }: { id: string }) => <a href={linkTo(['transactions'], { customer_id: id })}>{id}</a>;

const FilingLinks = ({ transaction }: TransactionProps) => (
  <>
    {transaction.filings.map(({ id, state }) => (
      <a key={id} href={linkTo(['filings', id])}>
        {getStateLetters(state)}{' '}
      </a>
    ))}
  </>
);

const Credits = ({ transaction }: TransactionProps) => {
  const { credited, left } = getCredited(transaction);
  const query = { parent_transaction_id: transaction.id, limit: 100 };
  return (
    <Panel title="Credits">
      {(transaction.status === 'finalized' || transaction.status === 'filed') && (
        <p>
          Credited {money(credited, transaction.currency)}, left {money(left, transaction.currency)}.
          {!isZero(transaction.applied_third_party_discount_amount) && ' Both exclude third-party discounts.'}
        </p>
      )}
      <Fetch
        query={`${transaction.credited_amount} ${transaction.credited_tax_amount}`}
        what="credits"
        read={(levy, signal) => Array.fromAsync(levy.list('/transactions', { query, signal }))}
      >
        {(rows) => (
          <Table
            caption="Credits of this sale"
            columns={[
              ['Reference', (row) => <TransactionLink value={row} />],
              ['Status', (row) => <Status value={row.status} />],
              ['Tax', (row) => <Amount value={row.tax_amount} />, 'figure'],
              ['Total', (row) => <Amount value={row.total_amount} />, 'figure'],
            ]}
            rows={rows}
            empty="No credits."
          />
        )}
      </Fetch>
    </Panel>
  );
};

const Body = ({ transaction, onChange }: TransactionProps & { onChange: () => void }) => (
  <>
    <h1>
      {transaction.type === 'sale' ? 'Sale' : 'Credit'} {transaction.reference_id ?? transaction.id}
    </h1>
    {transaction.parent_transaction_id && (
      <p>
        Of the sale{' '}
        <a href={linkTo(['transactions', transaction.parent_transaction_id])}>{transaction.parent_transaction_id}</a>
      </p>
    )}
    <TransactionActions transaction={transaction} onChange={onChange} />
    <ReviewNotices warnings={transaction.warnings} getTitle={(pointer) => titleAt(pointer, transaction)} />
    <Summary transaction={transaction} />
    <Table
      caption="Tax by jurisdiction"
      columns={[
        ['Jurisdiction', (row) => `${row.jurisdiction_name} (${row.jurisdiction_code})`],
        // A flat fee has no rate.
        ['Rate', (row) => (isZero(row.rate) && !isZero(row.tax_amount) ? 'fee' : percent(row.rate)), 'figure'],
        ['Taxable', (row) => <Amount value={row.taxable_amount} />, 'figure'],
        ['Exempt', (row) => <Amount value={row.exempt_amount} />, 'figure'],
        ['Tax', (row) => <Amount value={row.tax_amount} />, 'figure'],
      ]}
      rows={transaction.tax_summary}
      empty="No jurisdiction taxes this document."
    />
    <Panel title="Lines">
      <Lines transaction={transaction} />
    </Panel>
    {transaction.type === 'sale' && <Credits transaction={transaction} />}
    <Panel title="Explanation">
      <Explanation transaction={transaction} />
    </Panel>
    <Panel title={`Replay of version ${transaction.version}`}>
      <Replay transaction={transaction} />
    </Panel>
    <Panel title="History">
      <History transaction={transaction} />
    </Panel>
  </>
);

/** A document with the reasons for its tax. */
export const Transaction = ({ id }: { id: string }) => (
  <Get what="the transaction" path="/transactions/{id}" id={id}>
    {(found, reload) => <Body transaction={found} onChange={reload} />}
  </Get>
);
