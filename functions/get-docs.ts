import { definePublicDocument, type PublicDocument } from '../shared/api/define-public-document.ts';
import type { Documentation } from '../shared/api/endpoint.ts';
import { textOf } from '../shared/packed/unpack.ts';

/** The output of `npm run pack`: the page, and the policy with the hashes of its script and style. */
type PackedDocs = { readonly page: string; readonly policy: string };

export const read = (): PublicDocument => {
  const { page, policy } = JSON.parse(textOf('docs')) as PackedDocs;
  return {
    text: page,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // The cache TTL: readers have the new page within five minutes of a deployment.
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    },
  };
};

export const { endpoint, handler } = definePublicDocument({
  name: 'get-docs',
  path: '/docs',
  read,
});

export const documentation = () =>
  ({
    group: 'Look up codes and coverage',
    tag: 'Documentation',
    summary: 'Read the documentation',
    description:
      'This document as an HTML page, with every example and with forms that send requests. The page loads nothing from other hosts.',
    responses: [
      {
        status: 200,
        description: 'An HTML page.',
        schema: { type: 'string' },
        type: 'text/html',
        example: () => '<!doctype html><title>Levy API</title>',
      },
    ],
    notModified: 'The page matches `If-None-Match`.',
    errors: [],
  }) satisfies Documentation;
