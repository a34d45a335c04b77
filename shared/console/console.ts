import { fileURLToPath } from 'node:url';
import { bundled, policyOf } from '../packed/page-parts.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const page = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="levy-issuer" content="">
<title>Levy console</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>The console needs JavaScript. The API and its commands do not: see docs.</noscript>
<script>${script}</script>
</body>
</html>
`;

/** Build the page of `GET /console`, and its Content-Security-Policy. It has no data of an account. */
export const consolePage = (): { readonly page: string; readonly policy: string } => {
  const [script, style] = [bundled(pathOf('./client/app.tsx')), bundled(pathOf('./style.css'))];
  return { page: page(script, style), policy: policyOf(script, style) };
};
