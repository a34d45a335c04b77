import { useEffect, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { announcedOtherwise } from './close-period.tsx';
import { FilingActions } from './filing-actions.tsx';
import { ExceptionTable, type FilingData, FilingFigures } from './filing-figures.tsx';
import { Load, type Loaded, useLoad } from './load.tsx';
import { download, Facts, Instant, periodName, Status } from './parts.tsx';
import { useSession } from './session.ts';

const Exceptions = ({ id }: { id: string }) => {
  const { levy } = useSession();
  const [cursor, setCursor] = useState<string | null>(null);
  const query = { limit: 50, ...(cursor && { starting_after: cursor }) };
  const list = useLoad(`${id} ${cursor}`, async (signal) =>
    orThrow(await levy.get('/filings/{id}/exceptions', { path: { id }, query, signal })),
  );
  return (
    <Load of={list} what="exceptions">
      {({ data, next_cursor }) => (
        <>
          <ExceptionTable rows={data} />
          {cursor && (
            <button type="button" onClick={() => setCursor(null)}>
              First page
            </button>
          )}
          {next_cursor && (
            <button type="button" onClick={() => setCursor(next_cursor)}>
              Next page of exceptions
            </button>
          )}
        </>
      )}
    </Load>
  );
};

const nameOf = ({ state, period_end }: FilingData): string => `${state}-${period_end}`;

const cursorNames = ['starting_after', 'totals_starting_after'] as const;

/** The cursor of the next page in a Link header (RFC 8288), or `null`. */
const nextIn = (headers: Headers): Query | null => {
  const query = new URLSearchParams(/<\?([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]);
  const name = cursorNames.find((known) => query.has(known));
  return name === undefined ? null : { [name]: query.get(name) };
};

type Query = { expand?: 'entries'; limit?: number; starting_after?: string; totals_starting_after?: string };

/** All totals or all transactions of a filing as one CSV text, page by page. */
const wholeCsv = async (
  levy: Levy,
  id: string,
  first: Query,
  signal: AbortSignal,
  onPage: (pages: number) => void,
): Promise<string> => {
  let query = first;
  let text = '';
  for (let pages = 1; ; pages++) {
    onPage(pages);
    const page = await levy.getCsv('/filings/{id}', { path: { id }, query, signal, maxTries: 4 });
    const csv = orThrow(page);
    text += text ? csv.slice(csv.indexOf('\n') + 1) : csv;
    const next = nextIn(page.headers);
    if (next === null) return text;
    query = { ...query, ...next };
  }
};

const Files = ({ of }: { of: FilingData }) => {
  const { levy } = useSession();
  const [pages, setPages] = useState(0);
  const id = of.id ?? '';
  const totals = useAction(
    (_key, signal) => wholeCsv(levy, id, {}, signal, setPages),
    (csv) => download(`${nameOf(of)}-totals.csv`, csv),
  );
  const entries = useAction(
    (_key, signal) => wholeCsv(levy, id, { expand: 'entries', limit: 100 }, signal, setPages),
    (csv) => download(`${nameOf(of)}-transactions.csv`, csv),
  );
  return (
    <div class="actions">
      <ActionButton action={totals} label="Download totals as CSV" isPlain />
      <ActionButton action={entries} label="Download transactions as CSV" isPlain />
      <span role="status">{(totals.isRunning || entries.isRunning) && `Reading page ${pages} …`}</span>
    </div>
  );
};

const isMoving = ({ status }: FilingData): boolean => status === 'closing' || status === 'marking';

/** Load a filing again while it moves its transactions. */
const usePolling = ({ value, trouble, isLoading, reload }: Loaded<FilingData>): void => {
  useEffect(() => {
    if (isLoading || !value || !(isMoving(value) || !value.progress.complete)) return;
    const timer = setTimeout(reload, trouble ? 10_000 : 2000);
    return () => clearTimeout(timer);
  }, [value, trouble, isLoading, reload]);
};

type BodyProps = {
  of: FilingData;
  onChange: () => void;
  readTotals: Parameters<typeof FilingFigures>[0]['readTotals'];
};

const Body = ({ of, onChange, readTotals }: BodyProps) => (
  <>
    <h1>{periodName(of)}</h1>
    <Facts
      of={[
        ['Status', <Status key="status" of={of.status} />],
        ['Period', `${of.period_start} to ${of.period_end}`],
        ['Closed', of.closed_at && <Instant key="closed" of={of.closed_at} />],
        ['Closed by', of.asked_by],
        ['Filed', of.filed_at && <Instant key="filed" of={of.filed_at} />],
        ['Confirmation number', of.confirmation_number],
      ]}
    />
    {isMoving(of) && (
      <p class="notice" role="status">
        {of.progress.entries_moved} entries moved, {of.progress.entries_marked} marked. The page updates by itself.
      </p>
    )}
    {announcedOtherwise(of) && (
      <p class="notice bad">
        The figures changed since the dry run, which had {announcedOtherwise(of)}. Compare them before you file.
      </p>
    )}
    <FilingFigures of={of} readTotals={readTotals} />
    {(of.exceptions?.count ?? 0) > 0 && of.id && <Exceptions id={of.id} />}
    {of.closed_at === null ? (
      <p class="hint">The files can be downloaded when the filing is closed.</p>
    ) : (
      <Files of={of} />
    )}
    <FilingActions of={of} onChange={onChange} />
  </>
);

/** A filing: its figures, exceptions, files and what can be done with it. */
export const Filing = ({ id }: { id: string }) => {
  const { levy } = useSession();
  const read = async (query: Query, signal: AbortSignal) =>
    orThrow(await levy.get('/filings/{id}', { path: { id }, query, signal }));
  const filing = useLoad(id, (signal) => read({}, signal));
  usePolling(filing);
  return (
    <Load of={filing} what="the filing">
      {(found) => (
        <Body
          of={found}
          onChange={filing.reload}
          readTotals={(cursor, signal) => read({ totals_starting_after: cursor }, signal)}
        />
      )}
    </Load>
  );
};
