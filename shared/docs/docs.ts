import { fileURLToPath } from 'node:url';
import { bundled, policyOf } from '../packed/page-parts.ts';
import { page } from './page.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Build the page of `GET /docs` from openapi.json, and its Content-Security-Policy: no other script, style or host. */
export const docs = (): { readonly page: string; readonly policy: string } => {
  const [script, style] = [bundled(pathOf('./client/main.ts')), bundled(pathOf('./style.css'))];
  return { page: page(script, style), policy: policyOf(script, style) };
};
