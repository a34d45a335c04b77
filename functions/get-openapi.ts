import { definePublicDocument } from '../shared/api/define-public-document.ts';
import type { Documentation } from '../shared/api/endpoint.ts';
import { environment } from '../shared/config/environment.ts';

export const { endpoint, handler } = definePublicDocument({
  name: 'get-openapi',
  path: '/openapi.json',
  read: async () => {
    // A static import would be circular, because the document is generated from this definition.
    const { default: document } = await import('../shared/api/openapi.json', { with: { type: 'json' } });
    const servers = document.servers.filter(
      ({ url }) => !(environment.isDeployed && url.startsWith('http://127.0.0.1')),
    );
    return {
      // The bytes of the document; a deployment leaves out the local server, which a generated client would call by
      // default.
      text: `${JSON.stringify({ ...document, servers }, null, 2)}\n`,
      // The document contains no account data, so shared caches may store it if they revalidate it.
      headers: { 'Cache-Control': 'public, no-cache' },
    };
  },
});

export const documentation = (): Documentation => ({
  summary: 'Read the OpenAPI document',
  description:
    'The machine-readable API definition, to generate a client or to import into a tool. Needs no credential.',
  response: {
    description: 'An OpenAPI 3.1 document.',
    schema: {
      title: 'OpenApiDocument',
      type: 'object',
      required: ['openapi', 'info', 'paths'],
      properties: {
        openapi: { type: 'string', pattern: '^3\\.1\\.' },
        info: { type: 'object' },
        paths: { type: 'object' },
      },
    },
    example: () => ({ openapi: '3.1.0', info: { title: 'Levy' }, paths: {} }),
  },
  notModified: 'The document matches `If-None-Match`.',
});
