/** Sign-in by authorization code with PKCE (RFC 7636, OpenID Connect Core 3.1). */

/** The settings that the service embeds in the page. */
export type Issuer = {
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  /** The origins to which the page's policy allows connections. */
  readonly origins: readonly string[];
};

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
type Pending = { readonly state: string; readonly verifier: string; readonly hash: string };

const storeKey = 'levy-sign-in';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/**
 * Returns the SHA-256 of a string in base64url. For a verifier, this is the S256 code challenge (RFC 7636 section 4.2).
 */
export const sha256 = async (text: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

type Endpoints = { readonly authorization_endpoint: string; readonly token_endpoint: string };

const discover = async ({ issuer, origins }: Issuer, send: typeof fetch): Promise<Endpoints> => {
  const response = await send(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The issuer ${issuer} returned status ${response.status} for its configuration.`);
  const found = (await response.json()) as Endpoints & { issuer: string };
  if (found.issuer !== issuer)
    throw new Error(`The configuration of ${issuer} contains a different issuer, ${found.issuer}.`);
  // The page's policy would block the request without an explanation.
  const { origin } = new URL(found.token_endpoint);
  if (!origins.includes(origin))
    throw new Error(
      `The token endpoint ${found.token_endpoint} is not at the issuer ${issuer}. Sign in with an API key, or deploy with oidcTokenOrigin=${origin}.`,
    );
  return found;
};

/** The page's URL without fragment and query: the redirect URI, which must be registered at the issuer. */
const redirectUri = (address: string): string => address.split(/[?#]/)[0] as string;

/** Returns the URL of the sign-in page. Saves the verifier and the state in `store` for the redirect back. */
export const signInAddress = async (
  configured: Issuer,
  page: { readonly address: string; readonly hash: string },
  store: Store,
  send: typeof fetch = fetch,
): Promise<string> => {
  const { authorization_endpoint } = await discover(configured, send);
  const pending: Pending = { state: randomText(), verifier: randomText(), hash: page.hash };
  store.setItem(storeKey, JSON.stringify(pending));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: configured.client_id,
    redirect_uri: redirectUri(page.address),
    scope: configured.scope,
    state: pending.state,
    code_challenge: await sha256(pending.verifier),
    code_challenge_method: 'S256',
  });
  return `${authorization_endpoint}${authorization_endpoint.includes('?') ? '&' : '?'}${query}`;
};

/** The result of the redirect from the issuer: an access token and the view to show, or the reason for a failure. */
export type Returned = { readonly token: string; readonly hash: string } | { readonly failure: string };

/**
 * Exchanges the code in the page's URL for an access token. Returns `null` if the URL has no code. Always clears
 * `store`, so a code works only once.
 */
export const returnedFrom = async (
  configured: Issuer,
  address: string,
  store: Store,
  send: typeof fetch = fetch,
): Promise<Returned | null> => {
  const { searchParams } = new URL(address);
  const [code, state, error] = ['code', 'state', 'error'].map((name) => searchParams.get(name));
  if (!code && !error) return null;
  const pending = JSON.parse(store.getItem(storeKey) ?? 'null') as Pending | null;
  store.removeItem(storeKey);
  if (!pending || pending.state !== state) return { failure: 'This sign-in did not begin in this tab. Sign in again.' };
  if (error) return { failure: `The issuer refused: ${searchParams.get('error_description') ?? error}.` };
  const { token_endpoint } = await discover(configured, send);
  const response = await send(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: code as string,
      client_id: configured.client_id,
      redirect_uri: redirectUri(address),
      code_verifier: pending.verifier,
    }),
  });
  const { access_token } = (await response.json().catch(() => ({}))) as { access_token?: string };
  if (!response.ok || !access_token) return { failure: `The issuer returned no token (status ${response.status}).` };
  return { token: access_token, hash: pending.hash };
};
