import { listProblems } from '../contract/validate-response.ts';
import { canonical, impersonal } from '../support/committed-hash.ts';
import type { ApiResponse, BodyOf, Request, Schema } from '../support/http.ts';
import { type Body, type Book, type Model, must, type Requested, type Sent, same, type World } from './book.ts';
import { judgeCreate } from './create.ts';
import { judgeFiling } from './filings.ts';
import { inZone } from './money.ts';
import { invalidFiling, invalidNew, invalidUpdate, mustBeRefused, refusal } from './refusal.ts';
import { judgeUpdate } from './update.ts';

const counts = new Map<string, number>();

const getShort = (path: string): string => (path.split('?')[0] as string).replace(/(txn|fil)_\w+/, '{id}');

/** Counts a response by its request and outcome. */
const count = (method: string, path: string, { status, body, headers }: ApiResponse): void => {
  const codes = (body?.errors ?? []).map(({ code }) => code);
  const replayed = headers.get('idempotent-replayed') ? ['replayed'] : [];
  const what = [method, getShort(path), status, ...replayed, ...new Set(codes)].join(' ');
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

/** The number of responses of each kind, over all runs in this process. */
export const seen = (): ReadonlyMap<string, number> => counts;

export type Side = 0 | 1;

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Sends a request a millisecond after the previous one, and compares the response with the OpenAPI document. */
export const ask = async <Method extends 'GET' | 'POST', Path extends string>(
  model: Model,
  world: World,
  side: Side,
  method: Method,
  path: Path,
  request: Request = {},
): Promise<ApiResponse<BodyOf<Method, Path>>> => {
  await world.advance(1);
  model.nowMs++;
  const response = await world.send[side](method, path, request);
  count(method, path, response);
  const { status, headers, body } = response;
  const problems = listProblems({ method, path, status, headers, body });
  must(problems.length === 0, `The response breaks its contract.\n${problems.join('\n')}`);
  return response;
};

/** A replay has the text of the first response; for a redacted transaction, without its personal data. */
const mustBeReplay = (book: Book, response: ApiResponse, first: ApiResponse): void => {
  const { id } = first.body as Partial<Body>;
  const isRedacted = book.entries.get(id ?? '')?.body.redacted_at !== undefined;
  same((response.body as Partial<Body>).redacted_at !== undefined, isRedacted, 'Whether a replay is redacted');
  const buildSummary = ({ status, text, body, headers }: ApiResponse) => ({
    status,
    text: isRedacted ? impersonal(body) : text,
    tag: headers.get('etag'),
    location: headers.get('location'),
  });
  same(buildSummary(response), buildSummary(first), 'A replay');
  same(response.headers.get('idempotent-replayed'), 'true', 'What says that it is one');
};

const judge = (model: Model, book: Book, sent: Sent, response: ApiResponse): void => {
  same(response.headers.get('idempotent-replayed'), null, 'What says that an response is a replay');
  if (sent.path === '/transactions') judgeCreate(model, book, sent, response as ApiResponse<Body>);
  else if (sent.path.startsWith('/filings')) judgeFiling(model, book, sent, response as ApiResponse<Schema<'Filing'>>);
  else judgeUpdate(model, book, sent, response as ApiResponse<Body>);
};

const getInvalid = (path: string, body: Requested) => {
  if (path === '/transactions') return invalidNew(body);
  return path.startsWith('/filings') ? invalidFiling(body) : invalidUpdate(body);
};

/** Waits until a filing is complete. A request works on it only for a limited time; the schedule completes the rest. */
const settled = async (world: World, side: Side, { status, body }: ApiResponse<Schema<'Filing'>>): Promise<void> => {
  if (status !== 202) return;
  for (let turns = 0; turns < 10; turns++) {
    const filing = await world.send[side]('GET', `/filings/${body.id}`);
    if (filing.body.progress.complete) return;
    await world.work();
  }
  throw new Error('A filing is never finished.');
};

/** Sends a change, compares the response with the model, and updates the model. */
export const write = async (model: Model, world: World, side: Side, sent: Sent): Promise<void> => {
  const book = model.books[side];
  const { path, body, headers } = sent;
  const response = await ask(model, world, side, 'POST', path, { body, headers });
  book.sent.push(sent);
  const invalid = getInvalid(path, body);
  const key = headers['Idempotency-Key'] === undefined ? null : `${path} ${headers['Idempotency-Key']}`;
  const kept = key === null ? undefined : book.records.get(key);
  const record = kept && model.nowMs < kept.untilMs ? kept : undefined;
  if (invalid.length > 0) mustBeRefused(response, invalid);
  else if (record?.body === canonical(body)) mustBeReplay(book, response, record.response);
  else if (record) mustBeRefused(response, [refusal('idempotency_key_reused', 'Idempotency-Key')]);
  else {
    if (path.startsWith('/filings')) await settled(world, side, response as ApiResponse<Schema<'Filing'>>);
    // A date belongs to the day of the account's time zone.
    const dated = body.tax_date ? { ...body, tax_date: inZone(body.tax_date, book.timeZone) } : body;
    judge(model, book, { ...sent, body: dated }, response);
    // A dry run stores nothing, even if the period is already closed.
    if (key !== null && response.status < 300 && body.dry_run !== true)
      book.records.set(key, { body: canonical(body), response, untilMs: model.nowMs + dayMs });
  }
};

/** The existing transaction that a number selects; `undefined` if there is none. */
export const pick = (book: Book, number: number): Body | undefined => {
  const ids = [...book.entries.keys()];
  return book.entries.get(ids[number % ids.length] as string)?.body;
};
