import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, screenshot, startBrowser } from './browser.ts';
import { startSignInIssuer } from './sign-in-issuer.ts';

let issuer: Awaited<ReturnType<typeof startSignInIssuer>>;
let browser: Browser;
let url: string;
// The service reads its environment when it is loaded.
beforeAll(async () => {
  issuer = await startSignInIssuer();
  Object.assign(process.env, {
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: 'levy',
    OIDC_CLIENT_ID: 'console',
    OIDC_TOKEN_ORIGIN: issuer.tokenUrl,
  });
  const { newCaller, startApi } = await import('../support/api.ts');
  ({ url } = await startApi());
  const { account } = await newCaller();
  issuer.state.claims = { levy_account: account.id, scope: 'openid levy/read' };
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await issuer?.close();
});

it('signs in at the issuer by code with PKCE, and returns to the view', async () => {
  const { page, complaints, close } = await openConsole(browser, url, '#/coverage');
  await screenshot(page, 'sign-in');
  await page.getByRole('button', { name: 'Sign in with your company’s account' }).click();
  await page.getByRole('heading', { name: 'Coverage' }).waitFor();
  // The scope of the token.
  await page.getByText('(read only)').waitFor();
  expect(page.url()).toBe(`${url}/console#/coverage`);
  expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
  expect(issuer.state.exchanges.map((body) => [body.get('client_id'), body.get('redirect_uri')])).toEqual([
    ['console', `${url}/console`],
  ]);
  expect(complaints).toEqual([]);
  await close();
});

it('refuses a code that this tab did not request', async () => {
  const { page, close } = await openConsole(browser, url, '?code=stolen&state=other');
  await page.getByText('This sign-in did not begin in this tab').waitFor();
  expect(page.url()).toBe(`${url}/console`);
  expect(issuer.state.exchanges).toHaveLength(1);
  await close();
});

it('removes the code from the address where the issuer cannot be reached', async () => {
  const { page, close } = await openConsole(browser, url, '#/coverage');
  await page.route(`${issuer.tokenUrl}/token`, (route) => route.abort('connectionreset'));
  await page.getByRole('button', { name: 'Sign in with your company’s account' }).click();
  await page.getByRole('alert').getByText('Failed to fetch').waitFor();
  expect(page.url()).not.toContain('code=');
  await close();
});

it('allows connections to the service and the issuer only', async () => {
  const { page, close } = await openConsole(browser, url);
  const isReached = (address: string) =>
    page.evaluate<boolean>(`fetch(${JSON.stringify(address)}).then(() => true, () => false)`);
  expect(await isReached(`${issuer.url}/keys`)).toBe(true);
  const stranger = await startSignInIssuer();
  expect(await isReached(`${stranger.url}/keys`)).toBe(false);
  await stranger.close();
  await close();
});
