import { definePublicDocument, type PublicDocument, publicHandler } from '../shared/http/define-public-document.ts';
import { textOf } from '../shared/packed/unpack.ts';

/** The output of `npm run pack`: the page, and the policy with the hashes of its script and style. */
type PackedDocs = { readonly page: string; readonly policy: string };

export const read = (): PublicDocument => {
  const { page, policy } = JSON.parse(textOf('docs')) as PackedDocs;
  return {
    text: page,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // It changes with a deployment only, and everybody has the new page five minutes later.
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    },
  };
};

export const endpoint = definePublicDocument({
  name: 'get-docs',
  path: '/docs',
  summary: 'Read the documentation',
  description:
    'This document as a page for people, with every example, and with forms that send requests. It loads nothing from anywhere else.',
  response: { description: 'An HTML page.', schema: { type: 'string' }, type: 'text/html' },
  notModified: 'The page matches `If-None-Match`.',
  read,
});

export const handler = publicHandler(endpoint);
