import { definePublicDocument, pageDocument, readPage } from '../shared/api/define-public-document.ts';
import type { Documentation } from '../shared/api/endpoint.ts';

export const read = () => pageDocument(readPage('docs'));

export const { endpoint, handler } = definePublicDocument({ name: 'get-docs', path: '/docs', read });

export const documentation = (): Documentation => ({
  summary: 'Read the documentation',
  description:
    'This document as an HTML page, with every example and with forms that send requests. The page loads nothing from other hosts.',
  response: {
    description: 'An HTML page.',
    schema: { type: 'string' },
    type: 'text/html',
    example: () => '<!doctype html><title>Levy API</title>',
  },
  notModified: 'The page matches `If-None-Match`.',
});
