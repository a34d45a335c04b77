import type { PublicDocument } from '../http/public-document.ts';
import { textOf } from '../packed/read.ts';

/** What `npm run pack` makes of the OpenAPI document: the page, and the policy with the hashes of its script and style. */
export type PackedDocs = { readonly page: string; readonly policy: string };

export const read = (): PublicDocument => {
  const { page, policy } = JSON.parse(textOf('docs')) as PackedDocs;
  return {
    text: page,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // It changes with a deployment only, and five minutes later everybody has the new one.
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
