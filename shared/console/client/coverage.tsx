import type { Schemas } from '../../client/client.ts';
import { percent } from './format.ts';
import { Fetch, readData } from './load.tsx';
import { counted, Facts, Instant, Message, Panel, SearchForm, Status, Table, toWords, Warnings } from './parts.tsx';
import { linkTo, listParameters, type ViewProps } from './route.ts';
import { tiles } from './tile-map.ts';

const addressFields = [
  ['line1', 'Street'],
  ['city', 'City'],
  ['county', 'County'],
  ['state', 'State'],
  ['postal_code', 'ZIP code'],
  ['date', 'Date', 'date'],
] as const;

const Rates = ({ address }: { address: Record<string, string> }) => (
  <Fetch
    what="rates"
    of={JSON.stringify(address)}
    read={(levy, signal) => readData(levy.get('/rates', { query: address, signal }))}
  >
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
            ['Jurisdiction', (row) => row.jurisdiction_name],
            ['Code', (row) => row.reporting_code ?? row.jurisdiction_code],
            ['Rate', (row) => percent(row.rate), 'figure'],
            ['Confidence', (row) => row.confidence],
            ['Source', (row) => row.source],
          ]}
          rows={jurisdictions}
          empty="No jurisdiction taxes this address."
        />
      </>
    )}
  </Fetch>
);

/** The rates of an address, with their sources. */
const RatesBox = ({ query }: Pick<ViewProps, 'query'>) => {
  const address = listParameters(
    query,
    addressFields.map(([name]) => name),
  );
  return (
    <Panel title="Rates of an address">
      <SearchForm
        to={(values) => linkTo(['coverage'], values)}
        fields={addressFields}
        values={address}
        button="Show rates"
      />
      {(address['postal_code'] || (address['city'] && address['state'])) && <Rates address={address} />}
    </Panel>
  );
};

type State = Schemas['StateCoverage'];

const TileMap = ({ states }: { states: readonly State[] }) => (
  <nav class="tiles" aria-label="Map of the states by coverage of local rates">
    {states.map(({ state, name, local_rates }) => {
      const [column, row] = tiles[state] ?? [11, 7];
      return (
        <a
          key={state}
          class={`tile ${local_rates}`}
          style={{ gridColumn: column + 1, gridRow: row + 1 }}
          href={linkTo(['coverage', state])}
          title={`${name}: local rates ${local_rates}`}
          aria-label={`${state}, ${name}, local rates ${local_rates}`}
        >
          {state}
        </a>
      );
    })}
  </nav>
);

const levels = [
  ['complete', 'the local rates of all places are known, or the state levies none'],
  ['partial', 'some places have only the county or state rate, with a warning'],
  ['none', 'only the state rate is known'],
] as const;

const StateTable = ({ states }: { states: readonly State[] }) => (
  <Table
    caption="Coverage by state"
    columns={[
      ['State', (row) => <a href={linkTo(['coverage', row.state])}>{row.name}</a>],
      ['Local rates', (row) => <Status of={row.local_rates} />],
      ['General rate', (row) => row.general_rate && percent(row.general_rate.rate), 'figure'],
      ['Confidence', (row) => row.general_rate?.confidence],
      ['As of', (row) => row.source.as_of],
      ['Outdated local rates', (row) => row.local.share_outdated && percent(row.local.share_outdated), 'figure'],
      ['Places missing', (row) => row.local.places_missing, 'figure'],
    ]}
    rows={states.toSorted((a, b) => (a.name < b.name ? -1 : 1))}
    empty="No content."
  />
);

const subjects = ['clothing', 'groceries', 'candy', 'soft_drinks', 'digital_goods', 'saas', 'shipping'] as const;

const Subjects = ({ of }: { of: State }) => (
  <Table
    caption="How the state taxes kinds of goods"
    columns={[
      ['Kind', (name) => toWords(name)],
      ['Treatment', (name) => toWords(of[name].treatment)],
      ['Details', (name) => of[name].text],
      ['Confidence', (name) => of[name].confidence],
      ['Sources', (name) => of[name].citations.join('; ')],
    ]}
    rows={subjects}
  />
);

const Proposal = ({ of }: { of: NonNullable<State['source']['proposal']> & { release: string | null } }) => (
  <Panel title="Proposed release">
    <p class={of.held ? 'notice bad' : 'notice'}>
      {of.release} is not active. {of.held ?? 'An update can activate it.'}
    </p>
    <Table
      caption="Gates"
      columns={[
        ['Gate', (row) => row.text],
        ['Figure', (row) => `${row.figure} ${row.unit}`, 'figure'],
        ['At most', (row) => `${row.most} ${row.unit}`, 'figure'],
        ['Result', (row) => <Status of={row.passed ? 'passed' : 'failed'} />],
      ]}
      rows={of.gates}
      empty="The gates are not measured yet."
    />
    {of.changes && (
      <Table
        caption={`${counted(of.changes.count, 'rate')} that change${of.changes.count === 1 ? 's' : ''} against ${of.changes.against}${of.changes.count > of.changes.rates.length ? `; the first ${of.changes.rates.length}` : ''}`}
        columns={[
          ['Jurisdiction', (row) => `${row.name} (${row.jurisdiction})`],
          ['Rate', (row) => toWords(row.kind)],
          ['From', (row) => row.from ?? 'always'],
          ['To', (row) => row.to ?? 'open'],
          ['Before', (row) => (row.before === null ? 'none' : percent(row.before)), 'figure'],
          ['After', (row) => (row.after === null ? 'none' : percent(row.after)), 'figure'],
        ]}
        rows={of.changes.rates}
        empty="No rate of a jurisdiction changes."
      />
    )}
    <p class="hint">An operator of the service compares it with the active release and activates it.</p>
  </Panel>
);

const originText: Record<string, string> = { built_in: 'built in', own: 'custom rules' };

/** The data of an imported release. */
const ReleaseDetails = ({ of }: { of: Schemas['StateRelease'] }) => (
  <>
    {of.imported_at && (
      <div>
        Imported <Instant of={of.imported_at} />
        {of.rates !== null && `, ${counted(of.rates, 'rate')} of ${of.jurisdictions} jurisdictions`}
        {of.last_day && `, until ${of.last_day}`}
      </div>
    )}
    {of.activated_at && (
      <div>
        Activated <Instant of={of.activated_at} />
      </div>
    )}
  </>
);

/** All releases of a state, newest first. */
const Releases = ({ state }: { state: string }) => (
  <Fetch
    what="releases"
    read={(levy, signal) => readData(levy.get('/coverage', { query: { state, expand: 'releases' }, signal }))}
  >
    {({ states }) => (
      <Table
        caption="Releases, newest first"
        columns={[
          ['Release', (row) => row.id],
          ['Status', (row) => <Status of={row.active ? 'active' : 'not active'} tone={row.active ? 'good' : ''} />],
          ['Origin', (row) => `${originText[row.origin] ?? row.origin}${row.own_rules ? ', with custom rules' : ''}`],
          ['Local rates', (row) => <Status of={row.local_rates} />],
          ['Details', (row) => <ReleaseDetails of={row} />],
        ]}
        rows={(states[0]?.releases ?? []).toReversed()}
        empty="No releases."
      />
    )}
  </Fetch>
);

const Detail = ({ of }: { of: State }) => (
  <>
    <h1>{of.name}</h1>
    <p>
      <a href={linkTo(['coverage'], { state: of.state })}>Rates of an address in {of.name}</a>
    </p>
    <Facts
      of={[
        ['Active release', of.release],
        ['General rate', of.general_rate && percent(of.general_rate.rate)],
        ['Confidence', of.general_rate?.confidence],
        ['Citation', of.general_rate?.citation],
        ['Local rates', <Status key="local" of={of.local_rates} />],
        ['Basis of local rates', toWords(of.local.basis)],
        ['Publisher', of.source.publisher],
        ['Files as of', of.source.as_of],
        ['Next files expected', of.source.next_expected],
        ['Stale because', of.source.stale_reason],
        ['Addresses', of.source.addresses.join(', ')],
      ]}
    />
    {of.source.proposal && <Proposal of={{ ...of.source.proposal, release: of.source.release }} />}
    <Releases state={of.state} />
    <Subjects of={of} />
    <ul>
      {of.notes.map((note) => (
        <li key={note}>
          <Message of={note} />
        </li>
      ))}
    </ul>
  </>
);

/** Coverage: a map with its table, one state, and the rates of an address. */
export const Coverage = ({ path: [state], query }: ViewProps) => (
  <Fetch what="the coverage" read={(levy, signal) => readData(levy.get('/coverage', { signal }))}>
    {({ states }) => {
      const chosen = states.find((one) => one.state === state);
      if (chosen) return <Detail key={state} of={chosen} />;
      return (
        <>
          <h1>Coverage</h1>
          {state && <p class="notice bad">There is no state {state}. Use a code from the table below.</p>}
          <RatesBox query={query} />
          <Panel title="Local rates by state">
            <TileMap states={states} />
            <ul class="plain">
              {levels.map(([name, meaning]) => (
                <li key={name}>
                  <span class={`tile ${name}`}>{states.filter(({ local_rates }) => local_rates === name).length}</span>{' '}
                  <strong>{name}</strong>: {meaning}
                </li>
              ))}
            </ul>
            <StateTable states={states} />
          </Panel>
        </>
      );
    }}
  </Fetch>
);
