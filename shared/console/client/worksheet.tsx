import { useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, dataOf, Fetch, useAction } from './load.tsx';
import { Amount, download, Facts, periodName, Table } from './parts.tsx';
import { linkTo } from './route.ts';

type Filing = Schemas['Filing'];
type Sheet = NonNullable<Filing['worksheet']>;

/** A filing by its id, or an open period. */
type Source = { readonly id: string } | { readonly state: string; readonly period_end: string };

/** The link to the worksheet of a filing or a dry run, if Levy has a form of the state. */
export const WorksheetLink = ({ of: { id, state, period_end, worksheet_form: form } }: { of: Filing }) =>
  form && <a href={linkTo(['filings', ...(id ? [id] : [state, period_end]), 'worksheet', form])}>{form}</a>;

const read = async (of: Source, form: string, levy: Levy, signal: AbortSignal): Promise<Filing> =>
  'id' in of
    ? dataOf(levy.get('/filings/{id}', { path: of, query: { form }, signal }))
    : dataOf(levy.post('/filings', { body: { ...of, form, dry_run: true }, signal }));

const saveCsv = async (of: Source, form: string, levy: Levy, signal: AbortSignal): Promise<void> => {
  const options = { headers: { Accept: 'text/csv' }, signal };
  const reply =
    'id' in of
      ? await levy.get('/filings/{id}', { ...options, path: of, query: { form } })
      : await levy.post('/filings', { ...options, body: { ...of, form, dry_run: true } });
  download(`${form}.csv`, new Blob([String(orThrow(reply))], { type: 'text/csv' }));
};

/** An amount that a click copies to the clipboard, as the form takes it. */
const CopyAmount = ({ of }: { of: string }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(of);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span class="copy-amount">
      <Amount of={of} />
      {navigator.clipboard && (
        <button type="button" onClick={copy} aria-label={`Copy ${of}`}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
};

const isBlank = ({ amount }: Sheet['lines'][number]): boolean => amount === null;

const Lines = ({ of: { lines, schedule, rows, notes, ...sheet } }: { of: Sheet }) => (
  <>
    <Facts
      of={[
        ['Edition of the form', sheet.edition],
        ['Source', sheet.source],
        ['Confidence in the lines', sheet.confidence],
        ['Tax due of the filing', <Amount key="due" of={sheet.tax_due_amount} currency={sheet.currency} />],
        ['Rounding of the form', <Amount key="rounding" of={sheet.rounding_amount} currency={sheet.currency} />],
      ]}
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
        ['Amount', (row) => (row.amount === null ? 'Enter yourself' : <CopyAmount of={row.amount} />), 'figure'],
        ...(lines.some(isBlank) ? [['Why it is blank', (row: Sheet['lines'][number]) => row.note] as const] : []),
      ]}
      rows={lines}
    />
    <Table
      caption={`${schedule}, to the cent`}
      columns={[
        ['Code', (row) => row.reporting_code],
        ['Jurisdiction', (row) => row.jurisdiction_name],
        ['Taxable', (row) => <Amount of={row.taxable_amount} />, 'figure'],
        ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
      ]}
      rows={rows}
      empty="No local tax in this period."
    />
  </>
);

/** A filing or an open period on the lines of its state's form. */
export const Worksheet = ({ of, form }: { of: Source; form: string }) => {
  const file = useAction(
    (levy, _key, signal) => saveCsv(of, form, levy, signal),
    () => {},
  );
  return (
    <Fetch what="the worksheet" read={(levy, signal) => read(of, form, levy, signal)}>
      {(filing) => (
        <>
          <h1>{periodName(filing)}</h1>
          <p class="hint">
            {filing.worksheet?.title}.{' '}
            <a href={linkTo(['filings', ...('id' in of ? [of.id] : [of.state, of.period_end])])}>Back to the period</a>
          </p>
          {filing.worksheet && <Lines of={filing.worksheet} />}
          <div class="actions">
            <ActionButton action={file} label="Download the worksheet as CSV" />
            <button type="button" onClick={() => print()}>
              Print
            </button>
          </div>
        </>
      )}
    </Fetch>
  );
};
