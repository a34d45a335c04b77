import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invoke } from '../../../infra/local/gateway.ts';
import { handlers } from '../../../infra/local/handlers.ts';
import { matchResource } from '../../../infra/local/proxy-event.ts';
import { type Finding, findingText } from '../../../shared/cli/ledger/checks.ts';
import { verifyAccount } from '../../../shared/cli/ledger/verify-account.ts';
import { advanceClock } from '../../../shared/config/clock.ts';
import { redactTransaction } from '../../../shared/ledger/personal-data/redact.ts';
import type { Swept } from '../../../shared/ledger/sweep-drafts.ts';
import { redactionPorts } from '../../../shared/store/ledger/redaction-ports.ts';
import { type Call, type Caller, newCaller, startApi } from '../../support/api.ts';
import { type Answer, type Request, send } from '../../support/http.ts';
import type { Both, Terms, World } from '../book.ts';

const eventOf = (method: string, path: string, { body, headers = {} }: Request): APIGatewayProxyEvent => {
  const { pathname, searchParams } = new URL(path, 'http://local');
  const resource = matchResource(method, pathname);
  if (!resource) throw new Error(`No resource is at ${pathname}.`);
  const text = body === undefined ? null : JSON.stringify(body);
  const sent = { ...(text !== null && { 'Content-Type': 'application/json' }), ...headers };
  const query = [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)] as const);
  return {
    resource: resource.path,
    path: pathname,
    httpMethod: method,
    headers: sent as Record<string, string>,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value as string]])),
    queryStringParameters: query.length > 0 ? Object.fromEntries(searchParams) : null,
    multiValueQueryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    pathParameters: resource.parameters,
    stageVariables: null,
    requestContext: { requestId: randomUUID() } as APIGatewayProxyEvent['requestContext'],
    body: text,
    isBase64Encoded: false,
  };
};

/**
 * A client that passes requests directly to the Lambda handlers as API Gateway proxy events, through their whole
 * middleware but no socket.
 */
const sendEvents =
  (key: string): Call =>
  async (method, path, request = {}) => {
    const event = eventOf(method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
    const operation = matchResource(method, event.path)?.operation;
    if (!operation) throw new Error(`${method} is not offered at ${path}.`);
    const invocation = { functionName: operation, requestId: event.requestContext.requestId, timeoutMs: 10_000 };
    const { statusCode, headers, body } = await invoke(handlers.endpoints[operation], event, invocation);
    const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: statusCode, headers: new Headers(pairs), body: body === '' ? null : JSON.parse(body), text: body };
  };

/** The draft lifetimes of the two accounts in hours. */
export const draftHours = [24, 1] as const;

// The schedule, which finishes filings, closes no period itself.
const never = { review_days: 3000, rate_limit: 1_000_000_000 };

const callerWith = ({ draftHours, timeZone, registrations }: Terms): Promise<Caller> =>
  newCaller({ settings: { draft_ttl_hours: draftHours, time_zone: timeZone, registrations, ...never } });

const callers = async ([first, second]: Both) => [await callerWith(first), await callerWith(second)] as const;

const redactIn =
  (accounts: readonly [Caller, Caller]): World['redact'] =>
  (side, id) =>
    redactTransaction(accounts[side].account.id, id, 'operator', redactionPorts());

const verifyIn =
  (accounts: readonly [Caller, Caller]): World['verify'] =>
  async () => {
    const found: string[] = [];
    const onFinding = (finding: Finding) => void found.push(findingText(finding));
    for (const { account } of accounts)
      await verifyAccount({ account: account.id, pauseMs: 0, onFinding, onProgress: () => {} });
    return found;
  };

/** Two new accounts, whose requests go to the functions as events. */
export const worldOfEvents = async (terms: Both): Promise<World> => {
  const [first, second] = await callers(terms);
  const schedule = { functionName: 'sweep-drafts', requestId: 'schedule', timeoutMs: 240_000 };
  return {
    send: [sendEvents(first.key), sendEvents(second.key)],
    redact: redactIn([first, second]),
    verify: verifyIn([first, second]),
    advance: async (byMs) => advanceClock(byMs),
    sweep: () => invoke(handlers.schedules['sweep-drafts'], {}, schedule) as Promise<Swept>,
    work: () => invoke(handlers.schedules['close-periods'], {}, { ...schedule, functionName: 'close-periods' }),
    isAlone: true,
  };
};

/** Two new accounts, whose requests go through the local gateway's socket, as do the clock and the sweep. */
export const worldOfWires = async (terms: Both): Promise<World> => {
  const { url } = await startApi();
  const over = (key: string): Call => {
    const credential = { 'X-API-Key': key };
    return (method, path, request = {}) =>
      send(url, method, path, { ...request, headers: { ...credential, ...request.headers } });
  };
  const [first, second] = await callers(terms);
  return {
    send: [over(first.key), over(second.key)],
    redact: redactIn([first, second]),
    verify: verifyIn([first, second]),
    advance: async (byMs) => void (await send(url, 'PUT', '/_local/clock', { body: { advance_seconds: byMs / 1000 } })),
    sweep: async () => ((await send(url, 'POST', '/_local/schedules/sweep-drafts')) as Answer<Swept>).body,
    work: () => send(url, 'POST', '/_local/schedules/close-periods'),
    isAlone: false,
  };
};
