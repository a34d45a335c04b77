import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, expect, it } from 'vitest';
import { listen } from '../support/http.ts';

/**
 * An issuer over HTTP on loopback that signs in everybody with `claims`, by authorization code with PKCE (RFC 7636).
 * Its token endpoint has a different origin.
 */
const startIssuer = async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  /** Code challenges by authorization code. */
  const challenges = new Map<string, string | null>();
  const state = { claims: {} as Record<string, unknown>, exchanges: [] as URLSearchParams[] };

  const authorize = (query: URLSearchParams): string => {
    const code = crypto.randomUUID();
    challenges.set(code, query.get('code_challenge'));
    return `${query.get('redirect_uri')}?${new URLSearchParams({ code, state: query.get('state') ?? '' })}`;
  };
  /** A code works once, and only with the verifier. */
  const exchange = async (body: URLSearchParams, issuer: string): Promise<object | null> => {
    state.exchanges.push(body);
    const code = body.get('code') ?? '';
    const digest = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = challenges.get(code) === digest;
    challenges.delete(code);
    if (!isGood) return null;
    const token = new SignJWT({ sub: 'person', aud: 'levy', ...state.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setExpirationTime('5m');
    return { access_token: await token.sign(privateKey), token_type: 'Bearer' };
  };
  const tokens = await listen(
    createServer(async (request, response) => {
      const token = await exchange(new URLSearchParams(await text(request)), url);
      response.writeHead(token ? 200 : 400, { 'Access-Control-Allow-Origin': '*' });
      response.end(JSON.stringify(token ?? { error: 'invalid_grant' }));
    }),
  );
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (pathname === '/authorize') return response.writeHead(302, { Location: authorize(searchParams) }).end();
    if (pathname === '/keys') return response.end(JSON.stringify({ keys: [jwk] }));
    const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${tokens.url}/token` };
    return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, ...endpoints }));
  });
  const { url, close } = await listen(server);
  return { url, tokenUrl: tokens.url, state, close: () => Promise.all([close(), tokens.close()]) };
};

// The service and the test helpers read the environment when they are loaded.
const issuer = await startIssuer();
Object.assign(process.env, {
  OIDC_ISSUER: issuer.url,
  OIDC_AUDIENCE: 'levy',
  OIDC_CLIENT_ID: 'console',
  OIDC_TOKEN_ORIGIN: issuer.tokenUrl,
});
const { newCaller } = await import('../support/api.ts');
const { click, screenshot, seeHeading, seeText, useConsole } = await import('./browser.ts');
const { visit, address } = useConsole();
afterAll(() => issuer.close());
const signInButton = 'Sign in with your company’s account';

it('signs in at the issuer by code with PKCE, and returns to the view', async () => {
  const { account } = await newCaller();
  issuer.state.claims = { levy_account: account.id, scope: 'openid levy/read' };
  await visit('#/coverage', {}, async (page) => {
    await screenshot(page, 'sign-in');
    await click(page, signInButton);
    await seeHeading(page, 'Coverage');
    // The token's scope.
    await seeText(page, '(read only)');
    expect(page.url()).toBe(address('#/coverage'));
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    const [exchange, ...others] = issuer.state.exchanges;
    expect([exchange?.get('client_id'), exchange?.get('redirect_uri')]).toEqual(['console', address('')]);
    expect(others).toEqual([]);
    // The session of the token survives a reload without another exchange.
    await page.reload();
    await seeText(page, '(read only)');
    expect(issuer.state.exchanges).toHaveLength(1);
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
    expect(issuer.state.exchanges).toHaveLength(1);
  }));

it('removes the code from the URL if the issuer cannot be reached', () =>
  visit('#/coverage', {}, async (page) => {
    await page.route(`${issuer.tokenUrl}/token`, (route) => route.abort('connectionreset'));
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
