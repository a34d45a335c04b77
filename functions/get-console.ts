import {
  definePublicDocument,
  type PublicDocument,
  pageDocument,
  readPage,
} from '../shared/api/define-public-document.ts';
import type { Documentation } from '../shared/api/endpoint.ts';
import { readConsoleIssuer } from '../shared/config/environment.ts';

const attribute = (value: object): string =>
  JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * The console page. If an issuer is configured, the page contains its settings, and the policy allows connections to
 * it.
 */
export const read = (): PublicDocument => {
  const packed = readPage('console');
  const issuer = readConsoleIssuer();
  if (!issuer) return pageDocument(packed);
  const content = attribute(issuer);
  return pageDocument({
    page: packed.page.replace('name="levy-issuer" content=""', () => `name="levy-issuer" content="${content}"`),
    policy: packed.policy.replace("connect-src 'self'", `connect-src 'self' ${issuer.origins.join(' ')}`),
  });
};

export const { endpoint, handler } = definePublicDocument({
  name: 'get-console',
  path: '/console',
  hasOwnQuery: true,
  read,
});

export const documentation = (): Documentation => ({
  summary: 'Open the console',
  description:
    'A page for finance and support: reports, transactions, filings, coverage and customers. It contains no account data: users sign in with an API key or through the configured issuer. It loads nothing from other hosts.',
  response: {
    description: 'An HTML page.',
    schema: { type: 'string' },
    type: 'text/html',
    example: () => '<!doctype html><title>Levy console</title>',
  },
  notModified: 'The page matches `If-None-Match`.',
});
