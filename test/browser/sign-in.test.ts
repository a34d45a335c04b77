import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { listen } from '../support/http.ts';
import { startIssuer } from '../support/issuer.ts';

const issuer = await startIssuer();
const signIn = { claims: {} as Record<string, unknown>, exchanges: [] as URLSearchParams[] };
/** Code challenges by authorization code. */
const challenges = new Map<string, string | null>();

const authorize = (query: URLSearchParams): string => {
  const code = crypto.randomUUID();
  challenges.set(code, query.get('code_challenge'));
  return `${query.get('redirect_uri')}?${new URLSearchParams({ code, state: query.get('state') ?? '' })}`;
};
/** A code works once, and only with the verifier. */
const exchange = async (body: URLSearchParams): Promise<object | null> => {
  signIn.exchanges.push(body);
  const code = body.get('code') ?? '';
  const hash = createHash('sha256').update(body.get('code_verifier') ?? '');
  const isGood = challenges.get(code) === hash.digest('base64url');
  challenges.delete(code);
  if (!isGood) return null;
  return { access_token: await issuer.sign(issuer.claims(signIn.claims)), token_type: 'Bearer' };
};
/** Signs in everybody by authorization code with PKCE (RFC 7636), at a different origin from the issuer. */
const tokens = await listen(
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer.url);
    if (pathname === '/authorize') return response.writeHead(302, { Location: authorize(searchParams) }).end();
    const token = await exchange(new URLSearchParams(await text(request)));
    response.writeHead(token ? 200 : 400, { 'Access-Control-Allow-Origin': '*' });
    return response.end(JSON.stringify(token ?? { error: 'invalid_grant' }));
  }),
);
issuer.state.metadata = { authorization_endpoint: `${tokens.url}/authorize`, token_endpoint: `${tokens.url}/token` };
// The service and the test helpers read the environment when they are loaded.
Object.assign(process.env, {
  OIDC_ISSUER: issuer.url,
  OIDC_AUDIENCE: 'levy',
  OIDC_CLIENT_ID: 'console',
  OIDC_TOKEN_ORIGIN: tokens.url,
});
const { newCaller } = await import('../support/api.ts');
const { click, seeHeading, seeText, useConsole } = await import('./browser.ts');
const { visit, address } = useConsole();
afterAll(() => Promise.all([issuer.close(), tokens.close()]));
const signInButton = 'Sign in with your company’s account';

it('signs in at the issuer by code with PKCE, and returns to the view', async () => {
  const { account } = await newCaller();
  signIn.claims = { levy_account: account.id, scope: 'openid levy/read' };
  await visit('#/coverage', {}, async (page) => {
    await click(page, signInButton);
    await seeHeading(page, 'Coverage');
    // This is the scope of the token.
    await seeText(page, '(read only)');
    expect(page.url()).toBe(address('#/coverage'));
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    const [exchange, ...others] = signIn.exchanges;
    expect([exchange?.get('client_id'), exchange?.get('redirect_uri')]).toEqual(['console', address('')]);
    expect(others).toEqual([]);
    // The session of the token survives a reload without another exchange.
    await page.reload();
    await seeText(page, '(read only)');
    expect(signIn.exchanges).toHaveLength(1);
    await click(page, 'Sign out');
    await page.getByRole('button', { name: signInButton }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: signInButton }).waitFor();
  });
});

it('refuses a code that this tab did not request', () =>
  visit('?code=stolen&state=other', {}, async (page) => {
    await seeText(page, 'This sign-in did not begin in this tab');
    expect(page.url()).toBe(address(''));
    expect(signIn.exchanges).toHaveLength(1);
  }));

it('removes the code from the URL if the issuer cannot be reached', () =>
  visit('#/coverage', {}, async (page) => {
    await page.route(`${tokens.url}/token`, (route) => route.abort('connectionreset'));
    await click(page, signInButton);
    await page.getByRole('alert').getByText('Failed to fetch').waitFor();
    expect(page.url()).not.toContain('code=');
  }));

it('allows connections only to the service and the issuer', () =>
  visit('', { mayComplain: true }, async (page) => {
    const isReached = (address: string) =>
      page.evaluate<boolean>(`fetch(${JSON.stringify(address)}).then(() => true, () => false)`);
    const stranger = await startIssuer();
    expect([await isReached(`${issuer.url}/keys`), await isReached(`${stranger.url}/keys`)]).toEqual([true, false]);
    await stranger.close();
  }));
