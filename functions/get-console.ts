import { definePublicDocument, type PublicDocument } from '../shared/api/define-public-document.ts';
import type { Documentation } from '../shared/api/endpoint.ts';
import { environment } from '../shared/config/environment.ts';
import { textOf } from '../shared/packed/unpack.ts';

/** The output of `npm run pack`: the page, and the policy with the hashes of its script and style. */
type PackedConsole = { readonly page: string; readonly policy: string };

const attribute = (value: object): string =>
  JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export const read = (): PublicDocument => {
  const { page, policy } = JSON.parse(textOf('console')) as PackedConsole;
  const { consoleIssuer: issuer } = environment;
  const text = issuer
    ? page.replace('name="levy-issuer" content=""', () => `name="levy-issuer" content="${attribute(issuer)}"`)
    : page;
  return {
    text,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // The cache TTL: users have the new page within five minutes of a deployment.
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': issuer
        ? policy.replace("connect-src 'self'", `connect-src 'self' ${issuer.origins.join(' ')}`)
        : policy,
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    },
  };
};

export const { endpoint, handler } = definePublicDocument({
  name: 'get-console',
  path: '/console',
  hasOwnQuery: true,
  read,
});

export const documentation = () =>
  ({
    group: 'Look up codes and coverage',
    tag: 'Documentation',
    summary: 'Open the console',
    description:
      'A page for finance and support: reports, transactions, filings, coverage and customers. It has no data of an account: people sign in with an API key, or with the configured issuer. It loads nothing from other hosts.',
    responses: [
      {
        status: 200,
        description: 'An HTML page.',
        schema: { type: 'string' },
        type: 'text/html',
        example: () => '<!doctype html><title>Levy console</title>',
      },
    ],
    notModified: 'The page matches `If-None-Match`.',
    errors: [],
  }) satisfies Documentation;
