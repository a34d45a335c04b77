import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { assert } from '../base/assert.ts';

/** Bundles a script or style sheet for a `<script>` or `<style>` element. */
const bundled = (source: URL): string => {
  const path = fileURLToPath(source);
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    write: false,
  });
  // An end tag in the text would close its element early, and the hash would not match.
  const text = outputFiles[0]?.text ?? '';
  assert(!/<\/(script|style)|<!--/i.test(text), `${path} contains an end tag or a comment of HTML.`);
  return text;
};

const computeHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Returns the Content-Security-Policy of a page that loads only one script and one style sheet. */
const buildPolicy = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${computeHash(script)}`,
    `style-src ${computeHash(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** Returns a page with its bundled script and style sheet, and its policy. */
export const buildPage = (script: URL, style: URL, write: (script: string, style: string) => string) => {
  const parts = [bundled(script), bundled(style)] as const;
  return { page: write(...parts), policy: buildPolicy(...parts) };
};
