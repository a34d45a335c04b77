import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { createClient, type Levy, orThrow, type Schemas } from '../../client/client.ts';
import type { Trouble } from './trouble.ts';

/** Who is signed in. The credential is in the memory of the client only. */
export type Session = {
  readonly levy: Levy;
  readonly account: Schemas['Account'];
  readonly canWrite: boolean;
  readonly signOut: () => void;
  /** The credential is no longer accepted: show the sign-in again. */
  readonly endSession: (trouble: Trouble) => void;
};
export type Credential = { readonly apiKey: string } | { readonly token: string };

/** The address of the API: the page's address without `/console`. */
export const apiOf = (address: string): string => address.split(/[?#]/)[0]?.replace(/\/console\/?$/, '') as string;

/** Whether a text can be an API key. A header takes no other characters. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Sign in: read the account of a credential. Throws what the client throws. */
export const openSession = async (
  credential: Credential,
  address: string,
  { signOut, endSession }: Pick<Session, 'signOut' | 'endSession'>,
): Promise<Session> => {
  // A person waits, and decides about another try.
  const options = { url: apiOf(address), timeoutMs: 20_000, maxTries: 1 };
  const levy = createClient(
    'apiKey' in credential ? { ...options, apiKey: credential.apiKey } : { ...options, token: () => credential.token },
  );
  const account = orThrow(await levy.get('/account'));
  return { levy, account, canWrite: account.scopes.includes('write'), signOut, endSession };
};

export const SessionContext = createContext<Session | null>(null);

/** The session of the view. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A view is shown without a session.');
  return session;
};
