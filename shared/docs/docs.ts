import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';
import type { Document } from './openapi.ts';
import { type Inline, page } from './page.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const inlined = (): Inline => {
  const { outputFiles } = buildSync({
    entryPoints: [pathOf('./client/main.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  const script = outputFiles[0]?.text ?? '';
  const style = transformSync(readFileSync(pathOf('./style.css'), 'utf8'), {
    loader: 'css',
    minify: true,
    target: 'es2022',
  }).code;
  // What ends its element early would be neither run nor hashed as it is here.
  if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error('A script or style must not hold its own end.');
  return { script, style };
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing runs, is drawn or is asked for but what the page itself holds and what goes to its own origin. */
const policyOf = ({ script, style }: Inline): string =>
  [
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
  ].join('; ');

/** Make the documentation of openapi.json: one page that needs nothing else, and the policy that holds it to that. */
export const docs = (): { readonly page: string; readonly policy: string } => {
  const document = JSON.parse(readFileSync(pathOf('../http/openapi.json'), 'utf8')) as Document;
  const inline = inlined();
  return { page: page(document, inline), policy: policyOf(inline) };
};
