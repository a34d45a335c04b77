import document from '../http/openapi.json' with { type: 'json' };
import type { PublicDocument } from '../http/public-document.ts';

export const read = (): PublicDocument => ({
  // Exactly the bytes of the committed file, which is written in the same way.
  text: `${JSON.stringify(document, null, 2)}\n`,
  headers: {
    // It holds no account's data: anybody on the way may keep it, and asks again.
    'Cache-Control': 'public, no-cache',
  },
});
