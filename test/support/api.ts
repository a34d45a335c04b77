import { createGateway } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { type Account, newAccount, type Settings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import type { Scope } from '../../shared/api/request-context.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';
import { type ApiResponse, type BodyOf, exchanged, listen, type Request, send } from './http.ts';

type Api = { readonly url: string; readonly close: () => Promise<void> };
export type Call = <Method extends string, Path extends string>(
  method: Method,
  path: Path,
  request?: Request,
) => Promise<ApiResponse<BodyOf<Method, Path>>>;
export type Caller = { readonly account: Account; readonly key: string; readonly call: Call };
let running: Promise<Api> | null = null;

const start = async (): Promise<Api> => {
  const { url, close } = await listen(createGateway({ handlers }));
  const stop = async () => {
    running = null;
    close();
  };
  return { url, close: stop };
};

/** The API in this process, on a free loopback port. Started once for all callers. */
export const startApi = (): Promise<Api> => {
  running ??= start();
  return running;
};

const observed =
  (headers: Request['headers']): Call =>
  async (method, path, request = {}) => {
    const { url } = await startApi();
    const response = await send(url, method, path, { ...request, headers: { ...headers, ...request.headers } });
    const sent = { ...request, headers: { ...headers, ...request.headers } };
    await exchanged({ method, path, request: sent, response });
    return response;
  };

/** A client without a credential. */
export const anonymous: { readonly call: Call } = { call: observed({}) };

type NewCaller = { readonly settings?: Partial<Settings>; readonly scopes?: readonly Scope[] };

/** Creates a new account with a key, so tests run in parallel without cleanup. */
export const newCaller = async ({ settings = {}, scopes = ['read', 'write'] }: NewCaller = {}): Promise<Caller> => {
  const account = newAccount({
    name: 'Test',
    serviceVersion: currentVersion,
    createdMs: now(),
    settings: { registrations: 'all', ...settings },
  });
  const key = newApiKey();
  await provisionAccount(account);
  await provisionKey({ account: account.id, secret: key, scopes: [...scopes], expires_at: null });
  return { account, key, call: observed({ 'X-API-Key': key }) };
};

/** A client for tests that takes request bodies and returns responses. */
export const connectClient = ({ call }: Pick<Caller, 'call'>) => {
  const headed = (headers: Request['headers']) => (headers ? { headers } : {});
  return {
    call,
    calculate: (body: unknown) => call('POST', '/calculations', { body }),
    create: (body: unknown, headers?: Request['headers']) =>
      call('POST', '/transactions', { body, ...headed(headers) }),
    update: (id: string, body: unknown, headers?: Request['headers']) =>
      call('POST', `/transactions/${id}`, { body, ...headed(headers) }),
    get: (id: string) => call('GET', `/transactions/${id}`),
    list: (parameters: Record<string, string> = {}) => call('GET', `/transactions?${new URLSearchParams(parameters)}`),
  };
};
export type Client = ReturnType<typeof connectClient>;

/** Creates a new account with a key and a client for it. */
export const newClient = async (options?: NewCaller): Promise<Caller & Client> => {
  const caller = await newCaller(options);
  return { ...caller, ...connectClient(caller) };
};
