/** The cookie of a console session. */
import { isLoopback } from '../base/loopback.ts';
import { environment } from '../config/environment.ts';
import type { RequestContext } from './request-context.ts';

// Browsers keep a Secure cookie only over https, so the local service omits the attribute.
const isPlain = ({ headers }: RequestContext): boolean =>
  !environment.isDeployed && isLoopback(headers.get('host')?.[0] ?? '');

// `__Host-`: only this host can set it, over https, for the path `/` (RFC 6265bis, 4.1.3.2).
const cookieName = (context: RequestContext): string => (isPlain(context) ? 'levy_session' : '__Host-levy_session');

/**
 * Returns the value of `Set-Cookie` for a session's secret; `null` removes the cookie. The cookie also ends with the
 * browser.
 */
export const sessionCookie = (context: RequestContext, secret: string | null): string =>
  [
    `${cookieName(context)}=${secret ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(isPlain(context) ? [] : ['Secure']),
    ...(secret === null ? ['Max-Age=0'] : []),
  ].join('; ');

/** Returns the secrets that the request's cookies carry under the name of the session cookie. */
export const sessionSecrets = (context: RequestContext): readonly string[] => {
  const cookies = (context.headers.get('cookie') ?? []).flatMap((value) => value.split(';'));
  const start = `${cookieName(context)}=`;
  return cookies
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(start) ? [cookie.slice(start.length)] : []));
};
