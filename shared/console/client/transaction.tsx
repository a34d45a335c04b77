import { orThrow, type Schemas } from '../../client/client.ts';
import { percent } from './amounts.ts';
import { creditedOf } from './credited.ts';
import { Explanation } from './explanation.tsx';
import { History } from './history.tsx';
import { Load, useLoad } from './load.tsx';
import { Amount, Facts, Status } from './parts.tsx';
import { Replay } from './replay.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { type Charge, TaxTree } from './tax-tree.tsx';

type Document = Schemas['RetrievedTransaction'];

const chargesOf = ({ line_items, shipping }: Document): Charge[] => [
  ...line_items.map((line) => ({
    id: line.id,
    title: line.description ?? line.product_tax_code ?? line.id,
    detail: `${line.quantity} × ${line.unit_price}`,
    net: line.net_amount,
    tax: line.tax_amount,
    taxes: line.taxes,
  })),
  ...(shipping
    ? [
        {
          id: 'shipping',
          title: 'Shipping',
          detail: '',
          net: shipping.amount,
          tax: shipping.tax_amount,
          taxes: shipping.taxes,
        },
      ]
    : []),
];

const Summary = ({ of }: { of: Document }) => (
  <Facts
    of={[
      ['Status', <Status key="status" of={of.status} />],
      ['Type', of.type],
      ['Tax date', of.tax_date],
      ['Customer', of.customer?.id],
      ['Subtotal', <Amount key="subtotal" of={of.subtotal_amount} />],
      ['Shipping', <Amount key="shipping" of={of.shipping_amount} />],
      ['Taxable', <Amount key="taxable" of={of.taxable_amount} />],
      ['Tax', <Amount key="tax" of={of.tax_amount} />],
      ['Tax that Levy calculates', <Amount key="calculated" of={of.calculated_tax_amount} />],
      ['Total', <Amount key="total" of={of.total_amount} currency={of.currency} />],
      ['Created', of.created_at],
      ['Expires', of.expires_at],
      ['Void because', of.void_reason],
      ['Content', Object.values(of.content_releases).join(', ')],
    ]}
  />
);

const Filed = ({ of }: { of: Document }) => (
  <p>
    {of.filings.length === 0
      ? 'In no filing.'
      : of.filings.map(({ id, state, status }) => (
          <a key={id} href={linkTo(['filings', id])}>
            {state} ({status}){' '}
          </a>
        ))}
  </p>
);

const Credits = ({ of }: { of: Document }) => {
  const { levy } = useSession();
  const credits = useLoad(of.id, (signal) =>
    Array.fromAsync(levy.list('/transactions', { query: { parent_transaction_id: of.id, limit: 100 }, signal })),
  );
  const { credited, left } = creditedOf(of);
  return (
    <section aria-labelledby="credits">
      <h2 id="credits">Credits</h2>
      <p>
        Credited <Amount of={credited} currency={of.currency} />, left <Amount of={left} currency={of.currency} />.
        {/[1-9]/.test(of.applied_third_party_discount_amount) && ' Both are before discounts of third parties.'}
      </p>
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
            empty="None."
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
      { name: 'Rate', isFigure: true, cell: (row) => percent(row.rate) },
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
    {of.warnings.map(({ code, message, pointer }) => (
      <p key={code + pointer} class="notice">
        {message}
      </p>
    ))}
    <Summary of={of} />
    <Filed of={of} />
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
