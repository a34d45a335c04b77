import { orThrow, type Schemas } from '../../client/client.ts';
import { percent } from './amounts.ts';
import { addressText, chargesOf } from './charges.ts';
import { creditedOf } from './credited.ts';
import { Explanation } from './explanation.tsx';
import { History } from './history.tsx';
import { Load, useLoad } from './load.tsx';
import { Amount, Facts, Instant, lettersOf, Status, Warnings } from './parts.tsx';
import { Replay } from './replay.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { TaxTree } from './tax-tree.tsx';

type Document = Schemas['RetrievedTransaction'];

const isZero = (amount: string): boolean => !/[1-9]/.test(amount);

const Discounts = ({ of }: { of: Document }) => (
  <>
    <Amount of={of.applied_discount_amount} />
    {of.discount_applies_to === 'line_items_and_shipping' && ' on lines and shipping'}
  </>
);

const Summary = ({ of }: { of: Document }) => (
  <Facts
    of={[
      ['Status', <Status key="status" of={of.status} />],
      ['Type', of.type],
      // The first ten characters of an instant are the tax day in the account's time zone.
      ['Tax date', of.tax_date.slice(0, 10)],
      [
        'Customer',
        of.customer?.id && (
          <a key="customer" href={linkTo(['transactions'], { customer_id: of.customer.id })}>
            {of.customer.id}
          </a>
        ),
      ],
      ['Ship to', addressText(of.customer?.address)],
      ['Ship from', addressText(of.ship_from?.address)],
      ['Subtotal', <Amount key="subtotal" of={of.subtotal_amount} />],
      ['Discounts', isZero(of.applied_discount_amount) ? null : <Discounts key="discounts" of={of} />],
      ['Shipping', <Amount key="shipping" of={of.shipping_amount} />],
      ['Taxable', <Amount key="taxable" of={of.taxable_amount} />],
      ['Tax collected', <Amount key="tax" of={of.tax_amount} />],
      ['Calculated tax', <Amount key="calculated" of={of.calculated_tax_amount} />],
      ['Total', <Amount key="total" of={of.total_amount} currency={of.currency} />],
      ['Refunds', of.refund_status === 'none' ? null : of.refund_status],
      ['Created', <Instant key="created" of={of.created_at} />],
      ['Expires', of.status === 'draft' && of.expires_at ? <Instant key="expires" of={of.expires_at} /> : null],
      ['Void reason', of.void_reason],
      ['Content', Object.values(of.content_releases).join(', ')],
      ['Filings', of.filings.length > 0 ? <Filed key="filings" of={of} /> : 'none'],
    ]}
  />
);

const Filed = ({ of }: { of: Document }) => (
  <>
    {of.filings.map(({ id, state, status }) => (
      <a key={id} href={linkTo(['filings', id])}>
        {lettersOf(state)} ({status}){' '}
      </a>
    ))}
  </>
);

const Credits = ({ of }: { of: Document }) => {
  const { levy } = useSession();
  const credits = useLoad(of.id, (signal) =>
    Array.fromAsync(levy.list('/transactions', { query: { parent_transaction_id: of.id, limit: 100 }, signal })),
  );
  const { credited, left } = creditedOf(of);
  return (
    <section class="panel" aria-labelledby="credits">
      <h2 id="credits">Credits</h2>
      {(of.status === 'finalized' || of.status === 'filed') && (
        <p>
          Credited <Amount of={credited} currency={of.currency} />, left <Amount of={left} currency={of.currency} />.
          {/[1-9]/.test(of.applied_third_party_discount_amount) && ' Both exclude third-party discounts.'}
        </p>
      )}
      <Load of={credits} what="credits">
        {(rows) => (
          <Table
            caption="Credits of this sale"
            columns={[
              {
                name: 'Reference',
                cell: (row) => <a href={linkTo(['transactions', row.id])}>{row.reference_id ?? row.id}</a>,
              },
              { name: 'Status', cell: (row) => <Status of={row.status} /> },
              { name: 'Tax', isFigure: true, cell: (row) => <Amount of={row.tax_amount} /> },
              { name: 'Total', isFigure: true, cell: (row) => <Amount of={row.total_amount} /> },
            ]}
            rows={rows}
            keyOf={({ id }) => id}
            empty="No credits."
          />
        )}
      </Load>
    </section>
  );
};

const Jurisdictions = ({ of }: { of: Document }) => (
  <Table
    caption="Tax by jurisdiction"
    columns={[
      { name: 'Jurisdiction', cell: (row) => `${row.jurisdiction_name} (${row.jurisdiction_code})` },
      // A flat fee has no rate.
      {
        name: 'Rate',
        isFigure: true,
        cell: (row) => (isZero(row.rate) && !isZero(row.tax_amount) ? 'fee' : percent(row.rate)),
      },
      { name: 'Taxable', isFigure: true, cell: (row) => <Amount of={row.taxable_amount} /> },
      { name: 'Exempt', isFigure: true, cell: (row) => <Amount of={row.exempt_amount} /> },
      { name: 'Tax', isFigure: true, cell: (row) => <Amount of={row.tax_amount} /> },
    ]}
    rows={of.tax_summary}
    keyOf={(row) => row.jurisdiction_code + row.rate}
    empty="No jurisdiction taxes this document."
  />
);

const Body = ({ of }: { of: Document }) => (
  <>
    <h1>
      {of.type === 'sale' ? 'Sale' : 'Credit'} {of.reference_id ?? of.id}
    </h1>
    {of.parent_transaction_id && (
      <p>
        Of the sale <a href={linkTo(['transactions', of.parent_transaction_id])}>{of.parent_transaction_id}</a>
      </p>
    )}
    <Warnings of={of.warnings} />
    <Summary of={of} />
    <Jurisdictions of={of} />
    <TaxTree charges={chargesOf(of)} />
    {of.type === 'sale' && <Credits of={of} />}
    <Explanation of={of} />
    <Replay id={of.id} version={of.version} />
    <History id={of.id} version={of.version} />
  </>
);

/** A document with the reasons of its tax. */
export const Transaction = ({ id }: { id: string }) => {
  const { levy } = useSession();
  const document = useLoad(id, async (signal) =>
    orThrow(await levy.get('/transactions/{id}', { path: { id }, signal })),
  );
  return (
    <Load of={document} what="the transaction">
      {(found) => <Body of={found} />}
    </Load>
  );
};
