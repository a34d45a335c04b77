import type { Node } from 'constructs';

/** What a deployment may choose, from the CDK's context (`-c name=value`). */
export type Settings = {
  /** The template is for `sam local`: the host's architecture, and the emulator's address and table names. */
  readonly sam: boolean;
  /** Who issues the bearer tokens that the API accepts, as the functions' variables; without it, API keys only. */
  readonly oidc: Readonly<Record<string, string>>;
};

/** What may be said of the issuer, and the variable that tells the functions (shared/config/environment.ts). */
const oidcVariables = {
  oidcIssuer: 'OIDC_ISSUER',
  oidcAudience: 'OIDC_AUDIENCE',
  oidcAccountClaim: 'OIDC_ACCOUNT_CLAIM',
  oidcScopesClaim: 'OIDC_SCOPES_CLAIM',
  oidcReadScope: 'OIDC_READ_SCOPE',
  oidcWriteScope: 'OIDC_WRITE_SCOPE',
} as const;

const text = (node: Node, name: string): string | null => {
  const value: unknown = node.tryGetContext(name);
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw new Error(`The context value ${name} must be a string.`);
  return value;
};

const oidcOf = (node: Node): Settings['oidc'] => {
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

/** Read the deployment's settings; a half-made choice stops the synthesis. */
export const settingsOf = (node: Node): Settings => ({
  sam: node.tryGetContext('sam') !== undefined,
  oidc: oidcOf(node),
});
