import type { Schemas } from '../../client/client.ts';
import { SearchForm } from './fields.tsx';
import { toWords } from './format.ts';
import { Get } from './load.tsx';
import { Copied } from './parts.tsx';
import { linkTo, pickParameters, type ViewProps } from './route.ts';
import { type Column, Table } from './table.tsx';
import { tiles } from './tile-map.ts';

type Item = Schemas['ProductTaxCode'];

const military = new Set(['AA', 'AE', 'AP']);
const states = Object.keys(tiles).filter((state) => !military.has(state));

const Code = ({ code }: { code: string }) => (
  <Copied value={code}>
    <code>{code}</code>
  </Copied>
);

const Attributes = ({ item: { code, taxability } }: { item: Item }) => (
  <ul class="plain">
    {taxability?.attributes.map((attribute) => (
      <li key={attribute.code}>
        <Code code={`${code}.${attribute.code}`} />
        {` ${attribute.name}: ${toWords(attribute.treatment)}`}
      </li>
    ))}
  </ul>
);

const columns: readonly Column<Item>[] = [
  ['Code', ({ code }) => <Code code={code} />],
  [
    'Product',
    ({ name, description }) => (
      <div>
        <strong>{name}</strong>
        <div>{description}</div>
      </div>
    ),
  ],
];

const taxColumns = (state: string): readonly Column<Item>[] => [
  [
    `Treatment in ${state}`,
    ({ taxability }) =>
      taxability && (
        <div>
          <strong>{toWords(taxability.treatment)}</strong>
          {/* The text of some treatments only repeats the treatment. */}
          {taxability.text.toLowerCase() !== `${taxability.treatment}.` && <div>{taxability.text}</div>}
        </div>
      ),
  ],
  ['Attributes that change it', (row) => <Attributes item={row} />],
  ['Source', ({ taxability: known }) => (known?.source ? `${known.source} (confidence ${known.confidence})` : 'none')],
];

/** Searches for the code of a product, and shows how a state taxes it. */
export const ProductCodes = ({ query: parameters }: ViewProps) => {
  const query = pickParameters(parameters, ['q', 'state']);
  const { q, state } = query;
  return (
    <>
      <h1>Product codes</h1>
      <SearchForm
        to={(values) => linkTo(['product-codes'], values)}
        fields={[
          ['q', 'Product, or a code of Stripe, TaxJar or Avalara'],
          ['state', 'State', [['', 'None'], ...states.toSorted()]],
        ]}
        values={query}
        button="Find codes"
      />
      {state && (
        <p class="hint">
          The tax of the state today, without sales-tax holidays. Cities and counties may differ. Append an attribute if
          it describes the product.
        </p>
      )}
      <Get what="product tax codes" path="/product-tax-codes" query={query}>
        {({ data }) => (
          <Table
            key={JSON.stringify(query)}
            caption={q ? `Codes for “${q}”, best match first` : 'All product tax codes'}
            columns={state ? [...columns, ...taxColumns(state)] : columns}
            rows={data}
            empty="No code matches. Use a word for what the product is, such as cookware instead of its brand. GENERAL is the code for goods that no other code describes."
          />
        )}
      </Get>
    </>
  );
};
