import { buildPage } from '../packed/page-parts.ts';

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

/** Builds the page of `GET /console` and its Content-Security-Policy. The page contains no account data. */
export const consolePage = () =>
  buildPage(new URL('./client/app.tsx', import.meta.url), new URL('./style.css', import.meta.url), page);
