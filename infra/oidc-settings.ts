import type { Node } from 'constructs';
import { text } from './context.ts';

/** What may be said of the issuer, and the variable that tells the functions (shared/config/environment.ts). */
export const oidcVariables = {
  oidcIssuer: 'OIDC_ISSUER',
  oidcAudience: 'OIDC_AUDIENCE',
  oidcAccountClaim: 'OIDC_ACCOUNT_CLAIM',
  oidcScopesClaim: 'OIDC_SCOPES_CLAIM',
  oidcReadScope: 'OIDC_READ_SCOPE',
  oidcWriteScope: 'OIDC_WRITE_SCOPE',
} as const;

/** Who issues the bearer tokens, as the functions' variables; without an issuer, none. */
export const oidcOf = (node: Node): Readonly<Record<string, string>> => {
  const given = Object.entries(oidcVariables).flatMap(([name, variable]) => {
    const value = text(node, name);
    return value === null ? [] : [[variable, value] as const];
  });
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, ...others } = Object.fromEntries(given);
  // A function with only one of them would start and refuse every token: stop here instead.
  if ((issuer === undefined) !== (audience === undefined))
    throw new Error('Give both oidcIssuer and oidcAudience, or neither (then only API keys are accepted).');
  if (issuer === undefined || audience === undefined) {
    if (Object.keys(others).length > 0) throw new Error('Claims and scopes are named for an issuer: give oidcIssuer.');
    return {};
  }
  if (!issuer.startsWith('https://')) throw new Error(`oidcIssuer must be an https address, not ${issuer}.`);
  return { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, ...others };
};
