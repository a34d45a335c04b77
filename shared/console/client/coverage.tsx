import type { Schemas } from '../../client/client.ts';
import { addressFields, SearchForm } from './fields.tsx';
import { counted, percent, toWords } from './format.ts';
import { Get } from './load.tsx';
import { Facts, Instant, Message, Panel, Status, Warnings } from './parts.tsx';
import { linkTo, pickParameters, type ViewProps } from './route.ts';
import { Table } from './table.tsx';
import { tiles } from './tile-map.ts';

const rateFields = [...addressFields, ['date', 'Date', 'date']] as const;
const rateParameters = rateFields.map(([name]) => name);

const Rates = ({ address }: { address: Record<string, string> }) => (
  <Get what="rates" path="/rates" query={address}>
    {({ combined_rate, date, address_resolution, jurisdictions, warnings, content_releases }) => (
      <>
        <Facts
          value={{
            'Combined rate': combined_rate === null ? 'not known' : percent(combined_rate),
            Date: date,
            'Matched by': `${address_resolution.level}${address_resolution.ambiguous ? ', ambiguous' : ''}`,
            Coverage: address_resolution.coverage,
            Content: Object.values(content_releases).join(', '),
          }}
        />
        <Warnings value={warnings} />
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
  </Get>
);

/** The rates of an address, with their sources. */
const RatesBox = ({ query }: Pick<ViewProps, 'query'>) => {
  const address = pickParameters(query, rateParameters);
  return (
    <Panel title="Rates of an address">
      <SearchForm
        to={(values) => linkTo(['coverage'], values)}
        fields={rateFields}
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
      ['Local rates', (row) => <Status value={row.local_rates} />],
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

const Subjects = ({ coverage }: { coverage: State }) => (
  <Table
    caption="How the state taxes kinds of goods"
    columns={[
      ['Kind', (name) => toWords(name)],
      ['Treatment', (name) => toWords(coverage[name].treatment)],
      ['Details', (name) => coverage[name].text],
      ['Confidence', (name) => coverage[name].confidence],
      ['Sources', (name) => coverage[name].citations.join('; ')],
    ]}
    rows={subjects}
  />
);

type ProposalProps = { readonly release: string | null; readonly proposal: NonNullable<State['source']['proposal']> };

const Proposal = ({ release, proposal: { held, gates, changes } }: ProposalProps) => (
  <Panel title="Proposed release">
    <p class={held ? 'notice bad' : 'notice'}>
      {release} is not active. {held ?? 'An update can activate it.'}
    </p>
    <Table
      caption="Gates"
      columns={[
        ['Gate', (row) => row.text],
        ['Figure', (row) => `${row.figure} ${row.unit}`, 'figure'],
        ['At most', (row) => `${row.most} ${row.unit}`, 'figure'],
        ['Result', (row) => <Status value={row.passed ? 'passed' : 'failed'} />],
      ]}
      rows={gates}
      empty="The gates are not measured yet."
    />
    {changes && (
      <Table
        caption={`${counted(changes.count, 'rate')} that change${changes.count === 1 ? 's' : ''} against ${changes.against}${changes.count > changes.rates.length ? `; the first ${changes.rates.length}` : ''}`}
        columns={[
          ['Jurisdiction', (row) => `${row.name} (${row.jurisdiction})`],
          ['Rate', (row) => toWords(row.kind)],
          ['From', (row) => row.from ?? 'always'],
          ['To', (row) => row.to ?? 'open'],
          ['Before', (row) => (row.before === null ? 'none' : percent(row.before)), 'figure'],
          ['After', (row) => (row.after === null ? 'none' : percent(row.after)), 'figure'],
        ]}
        rows={changes.rates}
        empty="No rate of a jurisdiction changes."
      />
    )}
    <p class="hint">An operator of the service compares it with the active release and activates it.</p>
  </Panel>
);

const originText: Record<string, string> = { built_in: 'built in', own: 'custom rules' };

/** The data of an imported release. */
const ReleaseDetails = ({ release }: { release: Schemas['StateRelease'] }) => (
  <>
    {release.imported_at && (
      <div>
        Imported <Instant value={release.imported_at} />
        {release.rates !== null && `, ${counted(release.rates, 'rate')} of ${release.jurisdictions} jurisdictions`}
        {release.last_day && `, until ${release.last_day}`}
      </div>
    )}
    {release.activated_at && (
      <div>
        Activated <Instant value={release.activated_at} />
      </div>
    )}
  </>
);

/** All releases of a state, newest first. */
const Releases = ({ state }: { state: string }) => (
  <Get what="releases" path="/coverage" query={{ state, expand: 'releases' }}>
    {({ states }) => (
      <Table
        caption="Releases, newest first"
        columns={[
          ['Release', (row) => row.id],
          ['Status', (row) => <Status value={row.active ? 'active' : 'not active'} tone={row.active ? 'good' : ''} />],
          ['Origin', (row) => `${originText[row.origin] ?? row.origin}${row.own_rules ? ', with custom rules' : ''}`],
          ['Local rates', (row) => <Status value={row.local_rates} />],
          ['Details', (row) => <ReleaseDetails release={row} />],
        ]}
        rows={(states[0]?.releases ?? []).toReversed()}
        empty="No releases."
      />
    )}
  </Get>
);

const Detail = ({ coverage }: { coverage: State }) => (
  <>
    <h1>{coverage.name}</h1>
    <p>
      <a href={linkTo(['coverage'], { state: coverage.state })}>Rates of an address in {coverage.name}</a>
    </p>
    <Facts
      value={{
        'Active release': coverage.release,
        'General rate': coverage.general_rate && percent(coverage.general_rate.rate),
        Confidence: coverage.general_rate?.confidence,
        Citation: coverage.general_rate?.citation,
        'Local rates': <Status value={coverage.local_rates} />,
        'Basis of local rates': toWords(coverage.local.basis),
        Publisher: coverage.source.publisher,
        'Files as of': coverage.source.as_of,
        'Next files expected': coverage.source.next_expected,
        'Stale because': coverage.source.stale_reason,
        Addresses: coverage.source.addresses.join(', '),
      }}
    />
    {coverage.source.proposal && <Proposal release={coverage.source.release} proposal={coverage.source.proposal} />}
    <Releases state={coverage.state} />
    <Subjects coverage={coverage} />
    <ul>
      {coverage.notes.map((note) => (
        <li key={note}>
          <Message value={note} />
        </li>
      ))}
    </ul>
  </>
);

/** Coverage: a map with its table, one state, and the rates of an address. */
export const Coverage = ({ path: [state], query }: ViewProps) => (
  <Get what="the coverage" path="/coverage">
    {({ states }) => {
      const chosen = states.find((one) => one.state === state);
      if (chosen) return <Detail key={state} coverage={chosen} />;
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
  </Get>
);
