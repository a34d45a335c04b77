import { useState } from 'preact/hooks';
import { everyItem, type Schemas } from '../../client/client.ts';
import { getCredited, grouped, isZero, percent } from './format.ts';
import { brokenVersion } from './history-chain.ts';
import { ActionButton, Fetch, readData, useAction } from './load.tsx';
import {
  Actor,
  Amount,
  counted,
  Facts,
  getStateLetters,
  Instant,
  Message,
  Panel,
  Status,
  Table,
  TransactionLink,
  toWords,
  useShown,
} from './parts.tsx';
import { ReviewNotices } from './review.tsx';
import { linkTo } from './route.ts';
import { TransactionActions } from './transaction-actions.tsx';

type Document = Schemas['RetrievedTransaction'];
type Line = Document['line_items'][number];
type Of = { readonly of: Document };

/** A line item or shipping charge, formatted for display. */
type Charge = {
  readonly id: string;
  readonly title: string;
  /** Such as the quantity and the price. */
  readonly details: readonly string[];
  readonly net_amount: string;
  readonly tax_amount: string;
  readonly taxes: readonly Schemas['TaxRow'][];
};

/** Formats an address on one line. Redaction keeps the city, the state and the ZIP code. */
const addressText = (address: Schemas['Customer']['address'] | undefined): string | null =>
  address
    ? [address.line1, address.city, address.state, address.postal_code, address.country].filter(Boolean).join(', ')
    : null;

/** A labeled detail, or nothing if it has no value. */
const detail = (name: string, text: string | null | undefined): string[] => (text ? [`${name} ${text}`] : []);
const discount = (name: string, amount: string): string[] => (isZero(amount) ? [] : detail(name, grouped(amount)));

const getTitle = (line: Line): string => line.description ?? line.product_tax_code ?? line.id;

/**
 * Returns the lines and shipping charges of a document. If `shipping` is a list, the titles include the ids of the
 * charges.
 */
const listCharges = ({ line_items, shipping, tax_included }: Document): Charge[] => {
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
      ...detail('to', addressText(line.customer?.address)),
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

const StepList = ({ of }: { of: readonly Step[] }) => (
  <ol class="steps">
    {of.map(({ step, text, citation }, at) => (
      <li key={at}>
        <span class="step">{toWords(step)}</span> <Message of={text} />
        {citation && <cite>{citation}</cite>}
      </li>
    ))}
  </ol>
);

/** The steps of an explanation, which are in the order of the charges, with a title for those of each charge. */
const Steps = ({ steps, of }: Of & { steps: readonly Step[] }) => {
  const charges = listCharges(of);
  const groups = [...Map.groupBy(steps, ({ pointer }) => chargeIndex(pointer, of))];
  const { shown, button } = useShown(groups, { name: ' lines' });
  return (
    <>
      {shown.map(([index, group]) =>
        index === null ? (
          <StepList key="document" of={group} />
        ) : (
          <details key={index} open={charges.length <= 5}>
            <summary>
              <strong>{charges[index]?.title}</strong>
            </summary>
            <StepList of={group} />
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
const buildRequest = (of: Document): Schemas['CalculationRequest'] =>
  JSON.parse(JSON.stringify({ ...of, explain: true }, (name, value) => (outputs.test(name) ? undefined : value)));

const Recalculated = ({ of }: Of) => (
  <Fetch
    what="the explanation"
    read={(levy, signal) => readData(levy.post('/calculations', { body: buildRequest(of), signal }))}
  >
    {({ explanation, tax_amount }) => (
      <>
        {tax_amount !== of.calculated_tax_amount && (
          <p class="notice">
            With today’s content the tax is {tax_amount}; the recorded calculation has {of.calculated_tax_amount}. The
            steps below use today’s content. Replay compares with the recorded content.
          </p>
        )}
        <Steps steps={explanation ?? []} of={of} />
      </>
    )}
  </Fetch>
);

/**
 * The explanation of each amount, with citations: as recorded, or recalculated on request. A credit of a sale cannot be
 * recalculated, because the sale already counts it as credited.
 */
const Explanation = ({ of }: Of) => {
  const [isRequested, setRequested] = useState(false);
  const { explanation: recorded, parent_transaction_id: parent } = of;
  if (recorded) return <Steps steps={recorded} of={of} />;
  if (parent)
    return (
      <p>
        A credit returns the tax of <a href={linkTo(['transactions', parent])}>the sale</a>, which has the explanation.
      </p>
    );
  if (isRequested) return <Recalculated of={of} />;
  return (
    <button type="button" onClick={() => setRequested(true)}>
      Explain the tax
    </button>
  );
};

/** All changes of a transaction, and whether their hash chain is intact. */
const History = ({ of: { id, version } }: Of) => (
  <Fetch
    of={String(version)}
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
            ['At', (row) => <Instant of={row.at} />],
            ['By', (row) => <Actor of={row.by} />],
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

const Outcome = ({ of, document }: { of: Replayed; document: Document }) => (
  <>
    <p role="status" class={of.match === false ? 'notice bad' : 'notice'}>
      {of.match === true && 'The same amounts with the recorded content.'}
      {of.match === false && `${of.difference_count} figures differ.`}
      {of.match === null && `Not comparable: ${of.detail ?? of.reason}`}
    </p>
    {of.match === false && (
      <Table
        caption="Differences"
        columns={[
          ['Field', ({ pointer }) => fieldName(pointer, document)],
          ['Recorded', (row) => row.recorded, 'figure'],
          ['Replayed', (row) => row.replayed, 'figure'],
        ]}
        rows={of.differences}
      />
    )}
  </>
);

/** Recalculates a recorded document with the tax content of the recording. Stores nothing. */
const Replay = ({ of }: Of) => {
  const [outcome, setOutcome] = useState<Replayed | null>(null);
  const action = useAction(
    (levy) => readData(levy.post('/transactions/{id}/replay', { path: { id: of.id } })),
    setOutcome,
  );
  return (
    <>
      <ActionButton action={action} label="Replay" />
      {outcome && <Outcome of={outcome} document={of} />}
    </>
  );
};

/** The base of a tax. A fee has none. */
const Base = ({ of }: { of: Schemas['TaxRow'] }) =>
  of.tax_type === 'fee' ? (
    <>(fee)</>
  ) : (
    <>
      ({percent(of.rate)} of <Amount of={of.taxable_amount} />
      {!isZero(of.exempt_amount) && (
        <>
          , <Amount of={of.exempt_amount} /> exempt
        </>
      )}
      )
    </>
  );

const Taxes = ({ of }: { of: Charge['taxes'] }) =>
  of.length === 0 ? (
    <p>No jurisdiction taxes this line.</p>
  ) : (
    <ul>
      {of.map((row, at) => (
        <li key={at}>
          {row.jurisdiction_name}: <Amount of={row.tax_amount} /> <Base of={row} />. {toWords(row.taxability_reason)}
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
const Lines = ({ of }: Of) => {
  const charges = listCharges(of);
  const { shown, button } = useShown(charges, { name: ' lines' });
  return (
    <>
      {of.calculated_tax_amount !== of.tax_amount && (
        <p class="hint">
          The tax of lines and jurisdictions is the recorded tax, so it differs from the rate times the taxable amount.
        </p>
      )}
      {shown.map(({ id, title, details, net_amount, tax_amount, taxes }) => (
        <details key={id} open={charges.length <= 5}>
          <summary>
            <strong>{title}</strong>
            {details.map((text) => ` · ${text}`)} · net <Amount of={net_amount} /> · tax <Amount of={tax_amount} />
          </summary>
          <Taxes of={taxes} />
        </details>
      ))}
      {button}
    </>
  );
};

const Summary = ({ of }: Of) => (
  <Facts
    of={[
      ['Status', <Status key="status" of={of.status} />],
      ['Type', of.type],
      // The first ten characters of the timestamp are the tax day in the account's time zone.
      ['Tax date', of.tax_date.slice(0, 10)],
      ['Customer', of.customer?.id && <CustomerLink key="customer" id={of.customer.id} />],
      ['Ship to', addressText(of.customer?.address)],
      ['Ship from', addressText(of.ship_from?.address)],
      ['Subtotal', <Amount key="subtotal" of={of.subtotal_amount} />],
      ['Discounts', !isZero(of.applied_discount_amount) && <Discounts key="discounts" of={of} />],
      ['Shipping', <Amount key="shipping" of={of.shipping_amount} />],
      ['Taxable', <Amount key="taxable" of={of.taxable_amount} />],
      ['Tax collected', <Amount key="tax" of={of.tax_amount} />],
      ['Calculated tax', <Amount key="calculated" of={of.calculated_tax_amount} />],
      ['Total', <Amount key="total" of={of.total_amount} currency={of.currency} />],
      ['Refunds', of.refund_status !== 'none' && of.refund_status],
      ['Created', <Instant key="created" of={of.created_at} />],
      ['Expires', of.status === 'draft' && of.expires_at && <Instant key="expires" of={of.expires_at} />],
      ['Void reason', of.void_reason],
      ['Note', of.metadata['note']],
      ['Content', Object.values(of.content_releases).join(', ')],
      ['Filings', of.filings.length > 0 ? <FilingLinks key="filings" of={of} /> : 'none'],
    ]}
  />
);

const CustomerLink = ({ id }: { id: string }) => <a href={linkTo(['transactions'], { customer_id: id })}>{id}</a>;

const Discounts = ({ of }: Of) => (
  <>
    <Amount of={of.applied_discount_amount} />
    {of.discount_applies_to === 'line_items_and_shipping' && ' on lines and shipping'}
  </>
);

const FilingLinks = ({ of }: Of) => (
  <>
    {of.filings.map(({ id, state, status }) => (
      <a key={id} href={linkTo(['filings', id])}>
        {getStateLetters(state)} ({status}){' '}
      </a>
    ))}
  </>
);

const Credits = ({ of }: Of) => {
  const { credited, left } = getCredited(of);
  const query = { parent_transaction_id: of.id, limit: 100 };
  return (
    <Panel title="Credits">
      {(of.status === 'finalized' || of.status === 'filed') && (
        <p>
          Credited <Amount of={credited} currency={of.currency} />, left <Amount of={left} currency={of.currency} />.
          {!isZero(of.applied_third_party_discount_amount) && ' Both exclude third-party discounts.'}
        </p>
      )}
      <Fetch
        of={`${of.credited_amount} ${of.credited_tax_amount}`}
        what="credits"
        read={(levy, signal) => Array.fromAsync(levy.list('/transactions', { query, signal }))}
      >
        {(rows) => (
          <Table
            caption="Credits of this sale"
            columns={[
              ['Reference', (row) => <TransactionLink of={row} />],
              ['Status', (row) => <Status of={row.status} />],
              ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
              ['Total', (row) => <Amount of={row.total_amount} />, 'figure'],
            ]}
            rows={rows}
            empty="No credits."
          />
        )}
      </Fetch>
    </Panel>
  );
};

const Body = ({ of, onChange }: Of & { onChange: () => void }) => (
  <>
    <h1>
      {of.type === 'sale' ? 'Sale' : 'Credit'} {of.reference_id ?? of.id}
    </h1>
    {of.parent_transaction_id && (
      <p>
        Of the sale <a href={linkTo(['transactions', of.parent_transaction_id])}>{of.parent_transaction_id}</a>
      </p>
    )}
    <TransactionActions of={of} onChange={onChange} />
    <ReviewNotices of={of.warnings} getTitle={(pointer) => titleAt(pointer, of)} />
    <Summary of={of} />
    <Table
      caption="Tax by jurisdiction"
      columns={[
        ['Jurisdiction', (row) => `${row.jurisdiction_name} (${row.jurisdiction_code})`],
        // A flat fee has no rate.
        ['Rate', (row) => (isZero(row.rate) && !isZero(row.tax_amount) ? 'fee' : percent(row.rate)), 'figure'],
        ['Taxable', (row) => <Amount of={row.taxable_amount} />, 'figure'],
        ['Exempt', (row) => <Amount of={row.exempt_amount} />, 'figure'],
        ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
      ]}
      rows={of.tax_summary}
      empty="No jurisdiction taxes this document."
    />
    <Panel title="Lines">
      <Lines of={of} />
    </Panel>
    {of.type === 'sale' && <Credits of={of} />}
    <Panel title="Explanation">
      <Explanation of={of} />
    </Panel>
    <Panel title={`Replay of version ${of.version}`}>
      <Replay of={of} />
    </Panel>
    <Panel title="History">
      <History of={of} />
    </Panel>
  </>
);

/** A document with the reasons for its tax. */
export const Transaction = ({ id }: { id: string }) => (
  <Fetch
    what="the transaction"
    read={(levy, signal) => readData(levy.get('/transactions/{id}', { path: { id }, signal }))}
  >
    {(found, reload) => <Body of={found} onChange={reload} />}
  </Fetch>
);
