import { orThrow } from '../../client/client.ts';
import { percent } from './amounts.ts';
import { Load, useLoad } from './load.tsx';
import { Facts, Field, valuesOf, Warnings } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import type { ViewProps } from './view.ts';

const fields = ['line1', 'city', 'county', 'state', 'postal_code', 'date'] as const;

const Found = ({ address }: { address: Record<string, string> }) => {
  const { levy } = useSession();
  const rates = useLoad(JSON.stringify(address), async (signal) =>
    orThrow(await levy.get('/rates', { query: address, signal })),
  );
  return (
    <Load of={rates} what="rates">
      {({ combined_rate, date, address_resolution, jurisdictions, warnings, content_releases }) => (
        <>
          <Facts
            of={[
              ['Combined rate', combined_rate === null ? 'not known' : percent(combined_rate)],
              ['Date', date],
              ['Matched by', `${address_resolution.level}${address_resolution.ambiguous ? ', ambiguous' : ''}`],
              ['Coverage', address_resolution.coverage],
              ['Content', Object.values(content_releases).join(', ')],
            ]}
          />
          <Warnings of={warnings} />
          <Table
            caption="Rates of the jurisdictions"
            columns={[
              { name: 'Jurisdiction', cell: (row) => row.jurisdiction_name },
              { name: 'Code', cell: (row) => row.reporting_code ?? row.jurisdiction_code },
              { name: 'Rate', isFigure: true, cell: (row) => percent(row.rate) },
              { name: 'Confidence', cell: (row) => row.confidence },
              { name: 'Source', cell: (row) => row.source },
            ]}
            rows={jurisdictions}
            keyOf={(row) => row.jurisdiction_code}
            empty="No jurisdiction taxes this address."
          />
        </>
      )}
    </Load>
  );
};

/** The rates of an address, with their sources. */
export const RatesBox = ({ query }: Pick<ViewProps, 'query'>) => {
  const address = Object.fromEntries(
    fields.flatMap((name) => (query.get(name) ? [[name, query.get(name) as string]] : [])),
  );
  return (
    <section class="panel" aria-labelledby="rates">
      <h2 id="rates">Rates of an address</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = linkTo(['coverage'], valuesOf(event.currentTarget));
        }}
      >
        <Field name="line1" label="Street" value={query.get('line1')} />
        <Field name="city" label="City" value={query.get('city')} />
        <Field name="county" label="County" value={query.get('county')} />
        <Field name="state" label="State" value={query.get('state')} />
        <Field name="postal_code" label="ZIP code" value={query.get('postal_code')} />
        <Field name="date" label="Date" type="date" value={query.get('date')} />
        <button type="submit">Show rates</button>
      </form>
      {(address['postal_code'] || (address['city'] && address['state'])) && <Found address={address} />}
    </section>
  );
};
