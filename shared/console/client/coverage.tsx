import { orThrow, type Schemas } from '../../client/client.ts';
import { percent } from './amounts.ts';
import { Load, useLoad } from './load.tsx';
import { counted, Facts, Instant, Status, wordsOf } from './parts.tsx';
import { RatesBox } from './rates.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { tiles } from './tile-map.ts';
import type { ViewProps } from './view.ts';

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
  ['complete', 'every place of the state has its local rates, or the state has none'],
  ['partial', 'some places have the county or state rate only, with a warning'],
  ['none', 'only the state rate is known'],
] as const;

const StateTable = ({ states }: { states: readonly State[] }) => (
  <Table
    caption="Coverage by state"
    columns={[
      { name: 'State', cell: (row) => <a href={linkTo(['coverage', row.state])}>{row.name}</a> },
      { name: 'Local rates', cell: (row) => <Status of={row.local_rates} /> },
      { name: 'General rate', isFigure: true, cell: (row) => row.general_rate && percent(row.general_rate.rate) },
      { name: 'Confidence', cell: (row) => row.general_rate?.confidence },
      { name: 'As of', cell: (row) => row.source.as_of },
      {
        name: 'Outdated local rates',
        isFigure: true,
        cell: (row) => row.local.share_outdated && percent(row.local.share_outdated),
      },
      { name: 'Places missing', isFigure: true, cell: (row) => row.local.places_missing },
    ]}
    rows={states.toSorted((a, b) => (a.name < b.name ? -1 : 1))}
    keyOf={(row) => row.state}
    empty="No content."
  />
);

const subjects = ['clothing', 'groceries', 'candy', 'soft_drinks', 'digital_goods', 'saas', 'shipping'] as const;

const Subjects = ({ of }: { of: State }) => (
  <Table
    caption="How the state taxes kinds of goods"
    columns={[
      { name: 'Kind', cell: (name) => wordsOf(name) },
      { name: 'Treatment', cell: (name) => wordsOf(of[name].treatment) },
      { name: 'Details', cell: (name) => of[name].text },
      { name: 'Confidence', cell: (name) => of[name].confidence },
      { name: 'Sources', cell: (name) => of[name].citations.join('; ') },
    ]}
    rows={subjects}
    keyOf={(name) => name}
    empty=""
  />
);

const Proposal = ({ of }: { of: NonNullable<State['source']['proposal']> & { release: string | null } }) => (
  <section aria-labelledby="proposal">
    <h2 id="proposal">Proposed release</h2>
    <p class={of.held ? 'notice bad' : 'notice'}>
      {of.release} is not active. {of.held ?? 'Its gates allow an activation.'}
    </p>
    <Table
      caption="Gates"
      columns={[
        { name: 'Gate', cell: (row) => row.text },
        { name: 'Figure', isFigure: true, cell: (row) => `${row.figure} ${row.unit}` },
        { name: 'At most', isFigure: true, cell: (row) => `${row.most} ${row.unit}` },
        { name: 'Result', cell: (row) => <Status of={row.passed ? 'passed' : 'failed'} /> },
      ]}
      rows={of.gates}
      keyOf={(row) => row.name}
      empty="The gates are not measured yet."
    />
    {of.changes && (
      <Table
        caption={`${counted(of.changes.count, 'rate')} that change${of.changes.count === 1 ? 's' : ''} against ${of.changes.against}${of.changes.count > of.changes.rates.length ? `; the first ${of.changes.rates.length}` : ''}`}
        columns={[
          { name: 'Jurisdiction', cell: (row) => `${row.name} (${row.jurisdiction})` },
          { name: 'Rate', cell: (row) => wordsOf(row.kind) },
          { name: 'From', cell: (row) => row.from ?? 'always' },
          { name: 'To', cell: (row) => row.to ?? 'open' },
          { name: 'Before', isFigure: true, cell: (row) => (row.before === null ? 'none' : percent(row.before)) },
          { name: 'After', isFigure: true, cell: (row) => (row.after === null ? 'none' : percent(row.after)) },
        ]}
        rows={of.changes.rates}
        keyOf={(row) => row.jurisdiction + row.kind + row.from}
        empty="No rate of a jurisdiction changes."
      />
    )}
    <p class="hint">
      An operator compares it with the active release by <code>npm run content -- diff</code>, and activates it by{' '}
      <code>npm run content -- activate</code>.
    </p>
  </section>
);

const originText: Record<string, string> = { built_in: 'built in', own: 'own rules' };

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

/** All releases of a state, the newest first. */
const Releases = ({ state }: { state: string }) => {
  const { levy } = useSession();
  const coverage = useLoad(state, async (signal) =>
    orThrow(await levy.get('/coverage', { query: { state, expand: 'releases' }, signal })),
  );
  return (
    <Load of={coverage} what="releases">
      {({ states }) => (
        <Table
          caption="Releases, the newest first"
          columns={[
            { name: 'Release', cell: (row) => row.id },
            {
              name: 'Status',
              cell: (row) => <Status of={row.active ? 'active' : 'not active'} tone={row.active ? 'good' : ''} />,
            },
            {
              name: 'Origin',
              cell: (row) => `${originText[row.origin] ?? row.origin}${row.own_rules ? ', with own rules' : ''}`,
            },
            { name: 'Local rates', cell: (row) => <Status of={row.local_rates} /> },
            { name: 'Details', cell: (row) => <ReleaseDetails of={row} /> },
          ]}
          rows={(states[0]?.releases ?? []).toReversed()}
          keyOf={(row) => row.id}
          empty="No releases."
        />
      )}
    </Load>
  );
};

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
        ['Basis of local rates', wordsOf(of.local.basis)],
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
        <li key={note}>{note}</li>
      ))}
    </ul>
  </>
);

/** Coverage: a map with its table, one state, and the rates of an address. */
export const Coverage = ({ path, query }: ViewProps) => {
  const { levy } = useSession();
  const coverage = useLoad('coverage', async (signal) => orThrow(await levy.get('/coverage', { signal })));
  return (
    <Load of={coverage} what="the coverage">
      {({ states }) => {
        const chosen = states.find(({ state }) => state === path[0]);
        if (chosen) return <Detail of={chosen} />;
        return (
          <>
            <h1>Coverage</h1>
            {path[0] && <p class="notice bad">There is no state {path[0]}. Use a code of the table below.</p>}
            <RatesBox query={query} />
            <section class="panel" aria-labelledby="local">
              <h2 id="local">Local rates by state</h2>
              <TileMap states={states} />
              <ul class="legend">
                {levels.map(([name, meaning]) => (
                  <li key={name}>
                    <span class={`tile ${name}`}>{states.filter((state) => state.local_rates === name).length}</span>{' '}
                    <strong>{name}</strong>: {meaning}
                  </li>
                ))}
              </ul>
              <StateTable states={states} />
            </section>
          </>
        );
      }}
    </Load>
  );
};
