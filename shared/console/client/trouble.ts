import { LevyRefused, LevyUnavailable } from '../../client/client.ts';

/** Why a call failed, and what a person does about it. */
export type Trouble = {
  readonly kind: 'signed_out' | 'forbidden' | 'refused' | 'changed' | 'busy' | 'offline' | 'broken';
  readonly title: string;
  readonly advice: string;
};

const signedOut: Trouble = {
  kind: 'signed_out',
  title: 'Your key or session is not valid any more',
  advice: 'It was revoked or has expired. Sign in again. The page keeps its address.',
};
const forbidden: Trouble = {
  kind: 'forbidden',
  title: 'Your credential may not do this',
  advice: 'Ask an operator for a key with the scope that the message names.',
};

const refused = ({ status, code, detail }: { status: number; code: string; detail: string }): Trouble => {
  if (status === 401) return signedOut;
  if (status === 403) return { ...forbidden, title: detail || forbidden.title };
  if (status === 404) return { kind: 'refused', title: 'Not found', advice: detail };
  if (status === 412)
    return {
      kind: 'changed',
      title: 'Somebody else changed this in the meantime',
      advice: 'Load it again, compare, and repeat your change.',
    };
  if (status === 409) return { kind: 'changed', title: 'This is not possible in the present state', advice: detail };
  return { kind: 'refused', title: `Refused: ${code}`, advice: detail };
};

const unavailable = ({ status, retryAfterSeconds }: LevyUnavailable): Trouble => {
  if (status === 429)
    return {
      kind: 'busy',
      title: 'Too many requests',
      advice: `The account reached its limit of requests. Wait ${retryAfterSeconds ?? 10} seconds, and try again.`,
    };
  if (status === null)
    return {
      kind: 'offline',
      title: 'No connection to Levy',
      advice: 'Check your connection, and try again. Repeating a write is safe: it happens once.',
    };
  return {
    kind: 'broken',
    title: `Levy answered with status ${status}`,
    advice: 'Try again in a minute. Repeating a write is safe: it happens once.',
  };
};

/** What to show for an error of a call. `null` for a call that the page itself stopped. */
export const troubleOf = (error: unknown): Trouble | null => {
  if (error instanceof LevyRefused) return refused({ ...error.refusal, detail: error.message.replace(/^\w+: /, '') });
  if (error instanceof LevyUnavailable) return unavailable(error);
  if (error instanceof DOMException && error.name === 'AbortError') return null;
  return { kind: 'broken', title: 'The page has an error', advice: `Load the page again. ${String(error)}` };
};
