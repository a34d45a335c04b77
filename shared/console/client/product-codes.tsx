import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { Load, useCall } from './load.tsx';
import { type Column, Field, SearchForm, Table, wordsOf } from './parts.tsx';
import type { ViewProps } from './route.ts';
import { linkTo } from './route.ts';
import { tiles } from './tile-map.ts';

type Item = Schemas['ProductTaxCode'];

const military = new Set(['AA', 'AE', 'AP']);
const states = Object.keys(tiles)
  .filter((state) => !military.has(state))
  .toSorted();
const stateOptions = [['', 'None'] as const, ...states.map((state) => [state, state] as const)];

/** A code with a button that copies it. Browsers have a clipboard only in secure contexts. */
const Code = ({ of }: { of: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(of);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <span class="copied">
      <code>{of}</code>
      {navigator.clipboard && (
        <button type="button" aria-label={`Copy ${of}`} aria-live="polite" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
};

const Attributes = ({ of: { code, taxability } }: { of: Item }) => (
  <ul class="plain">
    {taxability?.attributes.map((attribute) => (
      <li key={attribute.code}>
        <Code of={`${code}.${attribute.code}`} />
        {` ${attribute.name}: ${wordsOf(attribute.treatment)}`}
      </li>
    ))}
  </ul>
);

const sourceOf = ({ taxability }: Item): string =>
  taxability?.source ? `${taxability.source} (confidence ${taxability.confidence})` : 'none';

const columns: readonly Column<Item>[] = [
  ['Code', ({ code }) => <Code of={code} />],
  [
    'Product',
    ({ name, description }) => (
      <>
        <strong>{name}</strong>
        <div>{description}</div>
      </>
    ),
  ],
];

const taxColumns = (state: string): readonly Column<Item>[] => [
  [
    `Treatment in ${state}`,
    ({ taxability }) =>
      taxability && (
        <>
          <strong>{wordsOf(taxability.treatment)}</strong>
          {/* The sentence of some treatments is the word alone. */}
          {taxability.text.toLowerCase() !== `${taxability.treatment}.` && <div>{taxability.text}</div>}
        </>
      ),
  ],
  ['Attributes that change it', (row) => <Attributes of={row} />],
  ['Source', sourceOf],
];

const Found = ({ q, state }: { q: string; state: string }) => {
  const query = { ...(q && { q }), ...(state && { state }) };
  const codes = useCall(JSON.stringify(query), (levy, signal) => levy.get('/product-tax-codes', { query, signal }));
  return (
    <Load of={codes} what="product tax codes">
      {({ data }) => (
        <Table
          key={JSON.stringify(query)}
          caption={q ? `Codes for “${q}”, the best first` : 'All product tax codes'}
          columns={state ? [...columns, ...taxColumns(state)] : columns}
          rows={data}
          keyOf={({ code }) => code}
          empty="No code matches. Use a word for what the product is, such as cookware instead of its brand. GENERAL is the code of goods that no other code describes."
        />
      )}
    </Load>
  );
};

/** Find the code of a product, and see how a state taxes it. */
export const ProductCodes = ({ query }: ViewProps) => {
  const [q, state] = [query.get('q') ?? '', query.get('state') ?? ''];
  return (
    <>
      <h1>Product codes</h1>
      <SearchForm to={(values) => linkTo(['product-codes'], values)}>
        <Field name="q" label="Product, or a code of Stripe, TaxJar or Avalara" value={q} />
        <Field name="state" label="State" value={state} options={stateOptions} />
        <button type="submit">Find codes</button>
      </SearchForm>
      {state && (
        <p class="hint">
          The tax of the state today, without sales-tax holidays. Cities and counties may differ. Append an attribute
          where it describes the product.
        </p>
      )}
      <Found q={q} state={state} />
    </>
  );
};
