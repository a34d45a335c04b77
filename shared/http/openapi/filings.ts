import { FilingListQuery, FilingQuery } from '../../filings/query.ts';
import { FilingRequest, FilingUpdate } from '../../filings/request.ts';
import { Filing, FilingList } from '../../filings/response.ts';
import { closed, closing, dryRun, filed, filingCsv, filingList, marking } from './filing-examples.ts';
import type { OperationDefinition } from './operations.ts';

export const createFiling: OperationDefinition = {
  tag: 'Filings',
  summary: 'Close a period',
  description: [
    "Closes a state's period: everything that is open up to its end moves into the filing, and nothing joins it afterwards. What arrives late, a sale or a credit, falls into the next period.",
    "Periods are months, quarters or calendar years, by the frequency of the account's registration; a state without one is closed by month. They are closed in order. Asked again for the same period, it answers the same filing.",
    'The answer comes at once, with `status: closing`. `GET /filings/{id}` shows the progress; what is left of it is finished by a schedule, which also closes the due periods of registered states by itself.',
    '`dry_run: true` answers the totals as they would be now, and stores nothing.',
  ].join('\n\n'),
  requestHeaders: ['IdempotencyKey', 'Prefer'],
  body: FilingRequest,
  success: {
    status: 202,
    description: 'The filing, which is being closed.',
    schema: Filing,
    example: closing,
    sometimes: ['Location', 'Idempotent-Replayed', 'Preference-Applied'],
  },
  otherSuccess: {
    status: 200,
    description: 'The totals of a dry run, or the filing that the period has already.',
    schema: Filing,
    example: dryRun,
    sometimes: ['Idempotent-Replayed', 'Preference-Applied'],
  },
};

export const listFilings: OperationDefinition = {
  tag: 'Filings',
  summary: 'List filings',
  description:
    'Newest first, without their totals. Filters are ANDed. A page may be short where filters leave little: go on while `has_more` is true.',
  query: FilingListQuery,
  success: { status: 200, description: 'A page of filings.', schema: FilingList, example: filingList },
};

export const getFiling: OperationDefinition = {
  tag: 'Filings',
  summary: 'Retrieve a filing',
  description: [
    'The totals by jurisdiction and rate, and how far it is. While it is closing, the totals are those so far.',
    '`expand=entries` pages its members: every transaction that the totals are made of, each once.',
    'With `Accept: text/csv`, the totals are a CSV file, one row for each jurisdiction, currency and rate; with `expand=entries`, the members of the page, with a `Link` to the next. Text that a spreadsheet would take for a formula begins with an apostrophe.',
  ].join('\n\n'),
  query: FilingQuery,
  success: {
    status: 200,
    description: 'The filing.',
    schema: Filing,
    example: closed,
    csv: filingCsv,
    headers: ['Vary'],
    sometimes: ['Link', 'Content-Disposition'],
  },
};

export const updateFiling: OperationDefinition = {
  tag: 'Filings',
  summary: 'File or cancel a filing',
  description: [
    '`filed`, with the `confirmation_number` of the state, says that the return was sent. Its transactions become filed, each with the last of its states; until they all are, the status is `marking`.',
    '`canceled` opens its entries again. Only the last filing of a state can be canceled, and only while it is closed.',
    '',
    '| From | To |',
    '|---|---|',
    '| closing | none, until it is closed |',
    '| closed | filed, canceled |',
    '| marking, filed, canceled | none |',
    '',
    'What it is already is answered as it is.',
  ].join('\n'),
  requestHeaders: ['IdempotencyKey', 'Prefer'],
  body: FilingUpdate,
  success: {
    status: 200,
    description: 'The filing, with nothing left to do.',
    schema: Filing,
    example: filed,
    sometimes: ['Idempotent-Replayed', 'Preference-Applied'],
  },
  otherSuccess: {
    status: 202,
    description: 'The filing, whose transactions are being marked or whose entries are being opened again.',
    schema: Filing,
    example: marking,
    sometimes: ['Idempotent-Replayed', 'Preference-Applied'],
  },
};
