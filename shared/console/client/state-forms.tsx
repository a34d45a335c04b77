import { isStreamlinedMember, usesCompositeCodes } from '../../catalog/streamlined.ts';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, ConfirmButton, useAction } from './actions.tsx';
import { download } from './export.tsx';
import { csvFile } from './export-file.ts';
import { Check } from './fields.tsx';
import { amountsDue, counted, getStateLetters, isZero, periodName } from './format.ts';
import { Fetch, readData } from './load.tsx';
import { Amount, Button, Copied, Facts } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Filing = Schemas['Filing'];
type Sheet = NonNullable<Filing['worksheet']>;

/** A filing by its id, or an open period. */
export type Source = { readonly id: string } | { readonly state: string; readonly period_end: string };

/** The link to the worksheet of a filing or a dry run, if Levy has a form for the state. */
export const WorksheetLink = ({ filing: { id, state, period_end, worksheet_form: form } }: { filing: Filing }) =>
  form && <a href={linkTo(['filings', ...(id ? [id] : [state, period_end]), 'worksheet', form])}>{form}</a>;

type FilingQuery = { readonly form?: string; readonly totals_starting_after?: string };

/** Reads a filing, or the dry run of an open period. */
export const readFiling = (
  source: Source,
  query: FilingQuery,
  levy: Levy,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Filing> =>
  'id' in source
    ? readData(levy.get('/filings/{id}', { path: source, query, headers, signal }))
    : readData(levy.post('/filings', { body: { ...source, ...query, dry_run: true }, headers, signal }));

const saveCsv = async (source: Source, form: string, levy: Levy, signal: AbortSignal): Promise<void> => {
  const csv: unknown = await readFiling(source, { form }, levy, signal, { Accept: 'text/csv' });
  download(`${form}.csv`, csvFile([String(csv)]));
};

/** An amount that a click copies in the format of the form. */
const CopyAmount = ({ amount }: { amount: string }) => (
  <Copied value={amount}>
    <Amount value={amount} />
  </Copied>
);

const Lines = ({ worksheet: { lines, schedule, rows, notes, ...sheet } }: { worksheet: Sheet }) => (
  <>
    <Facts
      value={{
        'Edition of the form': sheet.edition,
        Source: sheet.source,
        'Confidence in the lines': sheet.confidence,
        'Tax due of the filing': <Amount value={sheet.tax_due_amount} currency={sheet.currency} />,
        'Rounding of the form': <Amount value={sheet.rounding_amount} currency={sheet.currency} />,
      }}
    />
    {notes.length > 0 && (
      <ul class="notice warn">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    )}
    <Table
      caption="Lines of the form"
      columns={[
        ['Line', (row) => row.line],
        ['Label', (row) => row.label],
        ['Amount', (row) => (row.amount === null ? 'Enter yourself' : <CopyAmount amount={row.amount} />), 'figure'],
        ...(lines.some(({ amount }) => amount === null)
          ? [['Why it is blank', (row: Sheet['lines'][number]) => row.note] as const]
          : []),
      ]}
      rows={lines}
    />
    <Table
      caption={`${schedule}, to the cent`}
      columns={[
        ['Code', (row) => row.reporting_code],
        ['Jurisdiction', (row) => row.jurisdiction_name],
        ['Taxable', (row) => <Amount value={row.taxable_amount} />, 'figure'],
        ['Tax', (row) => <Amount value={row.tax_amount} />, 'figure'],
      ]}
      rows={rows}
      empty="No local tax in this period."
    />
  </>
);

/** A filing or an open period on the lines of its state's form. */
export const Worksheet = ({ source, form }: { source: Source; form: string }) => {
  const file = useAction((levy, _key, signal) => saveCsv(source, form, levy, signal));
  return (
    <Fetch what="the worksheet" read={(...call) => readFiling(source, { form }, ...call)}>
      {(filing) => (
        <>
          <h1>{periodName(filing)}</h1>
          <p class="hint">
            {filing.worksheet?.title}.{' '}
            <a href={linkTo(['filings', ...('id' in source ? [source.id] : [source.state, source.period_end])])}>
              Back to the period
            </a>
          </p>
          {filing.worksheet && <Lines worksheet={filing.worksheet} />}
          <div class="actions">
            <ActionButton action={file} label="Download the worksheet as CSV" />
            <Button onClick={() => print()}>Print</Button>
          </div>
        </>
      )}
    </Fetch>
  );
};

type Query = { process_type?: 'P'; return_type?: 'O' | 'A'; acknowledge_exceptions?: string };

/** Downloads the return as XML. The name of the file has a hash, which changes with the return. */
const downloadReturn = async (filing: Filing, query: Query, levy: Levy, signal?: AbortSignal): Promise<void> => {
  const headers = { Accept: 'application/xml' };
  const path = { id: filing.id ?? '' };
  const response = await levy.get('/filings/{id}', { path, query, headers, ...(signal && { signal }), maxTries: 4 });
  const name =
    /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? `${filing.state}.xml`;
  download(name, new Blob([String(orThrow(response))], { type: 'application/xml' }));
};

const ForTheState = ({ filing }: { filing: Filing }) => {
  const count = filing.status === 'filed' ? 0 : (filing.exceptions?.count ?? 0);
  return (
    <ConfirmButton
      title="Electronic return"
      label="Download the return"
      cancelLabel="Not yet"
      body={({ amended }): Query => ({
        process_type: 'P',
        return_type: amended ? 'A' : 'O',
        ...(count > 0 && { acknowledge_exceptions: String(count) }),
      })}
      write={(query, levy, _key, signal) => downloadReturn(filing, query, levy, signal)}
      onDone={() => {}}
    >
      <p>
        This downloads the simplified electronic return of {periodName(filing)} as a file for production: the state
        processes it when you upload it. Then mark the filing as filed, with the confirmation number.
        {count > 0 && ` You confirm that you checked the ${counted(count, 'exception')}.`}
      </p>
      <Check name="amended">It amends an earlier return of this period.</Check>
    </ConfirmButton>
  );
};

/** The downloads of the electronic return, in the states that accept it. */
export const ElectronicReturn = ({ filing }: { filing: Filing }) => {
  const { account } = useSession();
  const test = useAction((levy, _key, signal) => downloadReturn(filing, {}, levy, signal));
  if (!isStreamlinedMember(filing.state)) return null;
  const isLocalTaxDue = filing.totals?.some(
    (total) => total.jurisdiction_type !== 'state' && amountsDue([total]).some(({ amount }) => !isZero(amount)),
  );
  if (usesCompositeCodes(filing.state) && isLocalTaxDue)
    return (
      <p class="hint">
        The electronic return of {getStateLetters(filing.state)} needs composite codes of places, which Levy does not
        have. Enter the totals in the state's form.
      </p>
    );
  if (account.return_identity === null)
    return (
      <p class="hint">
        The electronic return needs the identity of the business. Set it under{' '}
        <a href={linkTo(['settings'])}>Settings</a>.
      </p>
    );
  return (
    <>
      <ActionButton action={test} label="Electronic return, test" />
      <ForTheState filing={filing} />
    </>
  );
};
