import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { taxDateAt } from '../shared/accounts/time-zone.ts';
import { authorize } from '../shared/api/authenticate.ts';
import type { Endpoint } from '../shared/api/endpoint.ts';
import { type Handler, lambdaHandler } from '../shared/api/lambda-handler.ts';
import { Refusal, type RequestContext, requireCaller } from '../shared/api/request-context.ts';
import { errorResult } from '../shared/api/response.ts';
import { now } from '../shared/config/clock.ts';
import { clearRefusal, unrecorded } from '../shared/observability/tally.ts';
import { holderReads } from '../shared/store/ledger/ledger-reads.ts';
import { combineAccess } from '../shared/store/table-access.ts';
import { type Json, parseJson } from '../shared/taxjar/numbers.ts';
import { errorBody, TaxJarRefusal, toRefusal } from '../shared/taxjar/refusal.ts';
import type { Levy, PostOptions, Query } from '../shared/taxjar/request.ts';
import { routes } from '../shared/taxjar/routes.ts';
import { endpoint as createCalculation } from './create-calculation.ts';
import { endpoint as createCustomer } from './create-customer.ts';
import { endpoint as createTransaction } from './create-transaction.ts';
import { endpoint as getCoverage } from './get-coverage.ts';
import { endpoint as getCustomer } from './get-customer.ts';
import { endpoint as getRates } from './get-rates.ts';
import { endpoint as getTransaction } from './get-transaction.ts';
import { endpoint as listCustomers } from './list-customers.ts';
import { endpoint as listTransactions } from './list-transactions.ts';
import { endpoint as updateCustomer } from './update-customer.ts';
import { endpoint as updateTransaction } from './update-transaction.ts';

/** The TaxJar-compatible API (version 2) on top of Levy's operations: clients of TaxJar only change their base URL. */

// The literal path precedes one with a parameter.
const operations: readonly Endpoint[] = [
  ...[createCalculation, getRates, getCoverage, createTransaction, listTransactions, updateTransaction],
  ...[getTransaction, createCustomer, listCustomers, updateCustomer, getCustomer],
];

const matching = (method: string, path: string) => {
  for (const operation of operations) {
    const pattern = new RegExp(`^${operation.path.replace('{id}', '([^/]+)')}$`);
    const found = operation.method === method ? pattern.exec(path) : null;
    if (found) return { operation, id: decodeURIComponent(found[1] ?? '') };
  }
  throw new Error(`${method} ${path} is not an operation of Levy.`);
};

type Call = PostOptions & { readonly body?: object; readonly query?: Query };

/** Serves a request of an operation with the caller of the outer request, after a check of the operation's scope. */
const callWith =
  (context: RequestContext) =>
  async <Response>(method: string, path: string, call: Call): Promise<Response> => {
    const { body, query = {}, headers = {}, settings = {}, replaces, isProbe } = call;
    const { operation, id } = matching(method, path);
    authorize(operation)(context);
    const caller = requireCaller(context);
    const account = { ...caller.account, settings: { ...caller.account.settings, ...settings } };
    const inner = {
      ...context,
      method,
      path,
      pathParameters: { id },
      caller: { ...caller, account },
      query: new Map(Object.entries(query).map(([name, value]) => [name, [value]])),
      headers: new Map(
        Object.entries({ 'content-type': 'application/json', ...headers }).map(([name, value]) => [name, [value]]),
      ),
      rawBody: Buffer.from(body ? JSON.stringify(body) : ''),
      ...(replaces && { replaces }),
    };
    const serve = () =>
      operation.serve(inner).catch((error: unknown) => {
        // An operation throws the refusal of an invalid request.
        if (error instanceof Refusal) return errorResult(error, inner);
        throw error;
      });
    const { statusCode, body: text } = await (isProbe ? unrecorded(serve) : serve());
    const response = JSON.parse(text);
    if (statusCode >= 400) throw toRefusal(statusCode, response);
    return response;
  };

const getBody = ({ method, rawBody }: RequestContext): Json => {
  if (!['POST', 'PUT'].includes(method) || rawBody.length === 0) return {};
  try {
    return parseJson(rawBody.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new TaxJarRefusal(400, 'The body is not valid JSON.');
    throw error;
  }
};

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

const getRoute = ({ method, pathParameters: { proxy = '' } }: RequestContext) => {
  // A base URL with a trailing slash produces a double slash.
  const path = `/${proxy.replace(/^\/+|\/$/g, '')}`;
  const onPath = routes.filter(([, pattern]) => pattern.test(path));
  const route = onPath.find(([known]) => known === method);
  if (onPath.length === 0)
    throw new TaxJarRefusal(404, `The API has no path ${path}. GET /v2/openapi.json lists the paths.`);
  if (!route) {
    const allow = onPath.map(([known]) => known).join(', ');
    throw new TaxJarRefusal(405, `${path} does not support ${method}. Allowed: ${allow}.`, {
      headers: { Allow: allow },
    });
  }
  return { run: route[2], at: (route[1].exec(path) ?? []).slice(1) };
};

const serve = async (context: RequestContext): Promise<APIGatewayProxyResult> => {
  const warnings = new Set<string>();
  try {
    const { run, at } = getRoute(context);
    const call = callWith(context);
    const { account } = requireCaller(context);
    const { settings } = account;
    const levy: Levy = {
      get: (path, query = {}) => call('GET', path, { query }),
      post: (path, body, options = {}) => call('POST', path, { body, ...options }),
      readHolders: (references) => holderReads.claimed(account.id, references),
    };
    const { status = 200, body } = await run({
      levy,
      settings,
      at,
      remainingMs: context.remainingMs,
      version: context.headers.get('x-api-version')?.[0] ?? '',
      // Parsed only when read, because the body of `POST /v2/verify` is a form.
      get body() {
        return getBody(context);
      },
      today: taxDateAt(now(), settings.time_zone).slice(0, 10),
      query: Object.fromEntries([...context.query].map(([name, values]) => [name, values.at(-1) ?? ''])),
      note: (codes) => {
        for (const code of codes) warnings.add(code);
      },
    });
    clearRefusal();
    const headers = warnings.size > 0 ? { 'Levy-Warnings': [...warnings].join(',') } : {};
    return json(status, body, { ...context.responseHeaders, ...headers });
  } catch (error) {
    if (error instanceof TaxJarRefusal)
      return json(error.status, errorBody(error), { ...context.responseHeaders, ...error.headers });
    throw error;
  }
};

export const endpoint = {
  name: 'taxjar',
  path: '/taxjar/{proxy+}',
  scope: 'read',
  access: combineAccess(operations.map(({ access }) => access)),
} as const;

/**
 * Moves a key to `X-API-Key`. TaxJar's clients send it as a bearer token, older ones as `Token token="…"`. A JWT has
 * dots, and a key has none.
 */
const withKey = (event: APIGatewayProxyEvent): APIGatewayProxyEvent => {
  const headers = Object.entries(event.multiValueHeaders ?? {});
  const [name, values] = headers.find(([one]) => one.toLowerCase() === 'authorization') ?? [];
  const [, key] = /^(?:bearer +|token +token=)"?([^". ]+)"?$/i.exec(values?.[0] ?? '') ?? [];
  if (!name || !key || values?.length !== 1) return event;
  const others = Object.fromEntries(headers.filter(([one]) => one !== name));
  return { ...event, multiValueHeaders: { ...others, 'X-API-Key': [key] } };
};

/** Converts errors of authentication, limits and outages, which are in Levy's form, to TaxJar's form. */
const inTaxJarForm = (result: APIGatewayProxyResult): APIGatewayProxyResult => {
  if (result.statusCode < 400) return result;
  const response = JSON.parse(result.body);
  if (!Array.isArray(response.errors)) return result;
  const refusal = toRefusal(result.statusCode, response);
  return { ...result, statusCode: refusal.status, body: JSON.stringify(errorBody(refusal)) };
};

const served = lambdaHandler({ ...endpoint, method: 'POST', serve });

export const handler: Handler = async (event, context) => inTaxJarForm(await served(withKey(event), context));
