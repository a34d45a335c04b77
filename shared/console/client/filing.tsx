import { useEffect, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { FilingActions } from './filing-actions.tsx';
import { ExceptionTable, type FilingData, FilingFigures } from './filing-figures.tsx';
import { Load, type Loaded, useLoad } from './load.tsx';
import { download, Facts, Status } from './parts.tsx';
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

/** All transactions of a filing as one CSV text, page by page. */
const entriesCsv = async (levy: Levy, id: string, onPage: (pages: number) => void): Promise<string> => {
  const query: { expand: 'entries'; limit: number; starting_after?: string } = { expand: 'entries', limit: 100 };
  let text = '';
  for (let pages = 1; ; pages++) {
    onPage(pages);
    const csv = orThrow(await levy.getCsv('/filings/{id}', { path: { id }, query }));
    text += text ? csv.slice(csv.indexOf('\n') + 1) : csv;
    const { entries }: FilingData = orThrow(await levy.get('/filings/{id}', { path: { id }, query }));
    if (!entries?.next_cursor) return text;
    query.starting_after = entries.next_cursor;
  }
};

const Files = ({ of }: { of: FilingData }) => {
  const { levy } = useSession();
  const [pages, setPages] = useState(0);
  const id = of.id ?? '';
  const totals = useAction(
    async () => orThrow(await levy.getCsv('/filings/{id}', { path: { id } })),
    (csv) => download(`${nameOf(of)}-totals.csv`, csv),
  );
  const entries = useAction(
    () => entriesCsv(levy, id, setPages),
    (csv) => download(`${nameOf(of)}-transactions.csv`, csv),
  );
  return (
    <div class="actions">
      <ActionButton action={totals} label="Download totals as CSV" isPlain />
      <ActionButton action={entries} label="Download transactions as CSV" isPlain />
      <span role="status">{entries.isRunning && `Reading page ${pages} …`}</span>
    </div>
  );
};

const isMoving = ({ status }: FilingData): boolean => status === 'closing' || status === 'marking';

/** Load a filing again while it moves its transactions. */
const usePolling = ({ value, reload }: Loaded<FilingData>): void => {
  useEffect(() => {
    if (!value || !(isMoving(value) || !value.progress.complete)) return;
    const timer = setTimeout(reload, 1000);
    return () => clearTimeout(timer);
  }, [value, reload]);
};

const Body = ({ of, onChange }: { of: FilingData; onChange: () => void }) => (
  <>
    <h1>
      {of.state}, {of.period_start} to {of.period_end}
    </h1>
    <Facts
      of={[
        ['Status', <Status key="status" of={of.status} />],
        ['Closed', of.closed_at],
        ['Filed', of.filed_at],
        ['Confirmation number', of.confirmation_number],
        ['Asked by', of.asked_by],
      ]}
    />
    {isMoving(of) && (
      <p class="notice" role="status">
        {of.progress.entries_moved} entries moved, {of.progress.entries_marked} marked. This page loads the progress.
      </p>
    )}
    <FilingFigures of={of} />
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
  const filing = useLoad(id, async (signal) => orThrow(await levy.get('/filings/{id}', { path: { id }, signal })));
  usePolling(filing);
  return (
    <Load of={filing} what="the filing">
      {(found) => <Body of={found} onChange={filing.reload} />}
    </Load>
  );
};
