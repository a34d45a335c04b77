import { render } from 'preact';
import { App } from './app.tsx';
import type { Issuer } from './oidc.ts';

const issuer = document.querySelector<HTMLMetaElement>('meta[name="levy-issuer"]')?.content;

render(<App issuer={issuer ? (JSON.parse(issuer) as Issuer) : null} />, document.body);
