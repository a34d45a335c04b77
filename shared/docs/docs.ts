import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { assert } from '../assert.ts';
import { page } from './page.ts';

const bundled = (path: string): string => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  // An end tag in the text would end its element, and the hash would not match.
  assert(!/<\/(script|style)|<!--/i.test(text), `${path} contains an end tag or a comment of HTML.`);
  return text;
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Build the page of `GET /docs` from openapi.json, and its Content-Security-Policy: no other script, style or host. */
export const docs = (): { readonly page: string; readonly policy: string } => {
  const [script, style] = [bundled('./client/main.ts'), bundled('./style.css')];
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return { page: page(script, style), policy: policy.join('; ') };
};
