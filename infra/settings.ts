import type { Node } from 'constructs';

/** What a deployment may choose, from the CDK's context (`-c name=value`). */
export type Settings = {
  /** The template is for `sam local`: the host's architecture, and the emulator's address and table names. */
  readonly sam: boolean;
  /** Who issues the bearer tokens that the API accepts; without it, API keys only. */
  readonly oidc: { readonly issuer: string; readonly audience: string } | null;
};

const text = (node: Node, name: string): string | null => {
  const value: unknown = node.tryGetContext(name);
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw new Error(`The context value ${name} must be a string.`);
  return value;
};

const oidcOf = (node: Node): Settings['oidc'] => {
  const issuer = text(node, 'oidcIssuer');
  const audience = text(node, 'oidcAudience');
  // A function with only one of them would start and refuse every token: stop here instead.
  if ((issuer === null) !== (audience === null)) {
    throw new Error('Give both oidcIssuer and oidcAudience, or neither (then only API keys are accepted).');
  }
  if (issuer === null || audience === null) return null;
  if (!issuer.startsWith('https://')) throw new Error(`oidcIssuer must be an https address, not ${issuer}.`);
  return { issuer, audience };
};

/** Read the deployment's settings; a half-made choice stops the synthesis. */
export const settingsOf = (node: Node): Settings => ({
  sam: node.tryGetContext('sam') !== undefined,
  oidc: oidcOf(node),
});
