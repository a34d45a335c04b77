import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { createClient, type Levy, LevyRefused, LevyUnavailable, orThrow, type Schemas } from '../../client/client.ts';

/** The cause of a failed call, and what the user can do about it. */
export type Trouble = {
  readonly kind: 'signed_out' | 'forbidden' | 'refused' | 'changed' | 'busy' | 'offline' | 'broken';
  /** Levy's error code, for a refusal. */
  readonly code?: string;
  readonly title: string;
  readonly advice: string;
  /** Seconds to wait before a retry. */
  readonly waitSeconds?: number;
};

/** Messages by status that replace the API's message. */
const refusals: Readonly<Record<number, Partial<Trouble>>> = {
  401: { kind: 'signed_out', title: 'You are signed out' },
  403: { kind: 'forbidden', title: 'Your credential does not allow this' },
  404: { title: 'Not found', advice: 'Check the link, and that you are signed in to the right account.' },
  409: { kind: 'changed' },
  412: {
    kind: 'changed',
    title: 'Somebody else changed this in the meantime',
    advice: 'Load it again, compare, and repeat your change.',
  },
};

const refused = ({ status, code, errors }: LevyRefused['refusal']): Trouble => {
  const problems = errors as readonly { readonly title: string; readonly detail: string }[];
  const advice = problems.map(({ detail }) => detail).join(' ');
  return { kind: 'refused', code, title: problems[0]?.title ?? code, advice, ...refusals[status] };
};

const unavailable = ({ status, retryAfterSeconds }: LevyUnavailable): Trouble => {
  const isSafe = 'It is safe to repeat a write: it is applied only once.';
  if (status === null)
    return {
      kind: 'offline',
      title: 'No connection to Levy',
      advice: `Check your connection, and try again. ${isSafe}`,
    };
  const title = `Levy returned status ${status}`;
  if (status !== 429) return { kind: 'broken', title, advice: `Try again in a minute. ${isSafe}` };
  const waitSeconds = retryAfterSeconds ?? 10;
  const advice = `The account reached its rate limit. Wait ${waitSeconds} seconds, and try again.`;
  return { kind: 'busy', title: 'Too many requests', advice, waitSeconds };
};

/** Returns the message for a failed call; `null` if the page itself aborted the call. */
export const getTrouble = (error: unknown): Trouble | null => {
  if (error instanceof LevyRefused) return refused(error.refusal);
  if (error instanceof LevyUnavailable) return unavailable(error);
  if (error instanceof DOMException && error.name === 'AbortError') return null;
  return { kind: 'broken', title: 'The page has an error', advice: `Load the page again. ${String(error)}` };
};

/** The signed-in session. The browser keeps its secret in a cookie that no script can read. */
export type Session = {
  readonly levy: Levy;
  readonly account: Schemas['Account'];
  readonly canWrite: boolean;
  /** Called when the session is no longer accepted; shows the sign-in again. */
  readonly endSession: (trouble: Trouble) => void;
};
export type OpenedSession = Omit<Session, 'endSession'>;
export type Credential = { readonly apiKey: string } | { readonly token: string };

/** The URL of the API: the page's URL without `/console`. */
export const getApi = (address: string): string => address.split(/[?#]/)[0]?.replace(/\/console\/?$/, '') as string;

/** Who acts without a credential: schedules and operators, as the API names them. */
const automatic: Readonly<Record<string, string>> = {
  'close-periods': 'Schedule',
  draft_expired: 'Schedule (the draft expired)',
  retention: 'Schedule (retention of personal data)',
  operator: 'Operator',
};

/**
 * Returns a name for the credential in `by` or `asked_by`: the label of the API key, or the subject of a token with the
 * suffix `(single sign-on)`, because a subject could equal another name.
 */
export const actorName = ({ api_keys = [] }: Pick<Schemas['Account'], 'api_keys'>, by: string): string =>
  api_keys.find(({ id }) => id === by)?.label ?? automatic[by] ?? by.replace(/^token:(.*)$/s, '$1 (single sign-on)');

/** Returns whether a string can be an API key. Other characters are not allowed in a header. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

const extendEveryMs = 300_000;

/** Returns the client of the browser's session. Requests extend the session, so that it ends only without use. */
const sessionClient = (options: { url: string; timeoutMs: number; maxTries: number }): Levy => {
  let extendedAt = Date.now();
  const withSession: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('X-API-Key');
    headers.set('Console-Session', '1');
    if (Date.now() - extendedAt > extendEveryMs) {
      extendedAt = Date.now();
      // A failure is ignored: the next request shows it.
      levy.post('/session', { body: { action: 'extend' } }).catch(() => {});
    }
    return fetch(input, { ...init, headers });
  };
  // The client requires a key. The session replaces it.
  const levy = createClient({ ...options, apiKey: 'session', fetch: withSession });
  return levy;
};

/**
 * Opens the browser's session, or exchanges a credential, which is not stored, for a new session. Throws the client's
 * errors: 401 without a session.
 */
export const openSession = async (credential: Credential | null, address: string): Promise<OpenedSession> => {
  // A user is waiting and decides whether to retry.
  const options = { url: getApi(address), timeoutMs: 20_000, maxTries: 1 };
  const levy = sessionClient(options);
  if (credential) {
    const exchange =
      'apiKey' in credential
        ? createClient({ ...options, ...credential })
        : createClient({ ...options, token: () => credential.token });
    orThrow(await exchange.post('/session', { body: { action: 'start' } }));
  } else orThrow(await levy.post('/session', { body: { action: 'extend' } }));
  const account = orThrow(await levy.get('/account'));
  return { levy, account, canWrite: account.scopes.includes('write') };
};

/** Ends the session at the service, for all tabs. Returns why it failed; `null` if the session has ended. */
export const closeSession = async ({ levy }: OpenedSession): Promise<Trouble | null> => {
  try {
    orThrow(await levy.post('/session', { body: { action: 'end' } }));
    return null;
  } catch (error) {
    const trouble = getTrouble(error);
    return trouble?.kind === 'signed_out' ? null : trouble;
  }
};

export const SessionContext = createContext<Session | null>(null);

/** The session of the view. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A view is shown without a session.');
  return session;
};
