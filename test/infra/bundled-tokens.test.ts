import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../../infra/bundling.ts';
import type { createCheck, keyNameOf } from '../../shared/http/jwt.ts';
import { badTokens } from '../support/bad-tokens.ts';
import { startIssuer } from '../support/issuer.ts';

type Deployed = { readonly createCheck: typeof createCheck; readonly keyNameOf: typeof keyNameOf };

it('the deployed library for bearer tokens, which is tree-shaken, accepts and refuses what the tested one does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-bundle-'));
  bundle('get-coverage', folder);
  const file = readdirSync(folder).find((name) => /^jwt-.*\.js$/.test(name)) as string;
  const deployed: Deployed = createRequire(import.meta.url)(join(folder, file));
  const issuer = await startIssuer({ rsa: 'RS256', elliptic: 'ES256', edwards: 'EdDSA', stranger: 'RS256' });
  issuer.withdraw('stranger');
  const check = await deployed.createCheck(issuer.configured, () => {});
  const answerOf = async (token: string) => {
    const keyName = deployed.keyNameOf(token, issuer.url);
    return keyName === null ? 'refused' : check(token, keyName);
  };
  for (const kid of ['rsa', 'elliptic', 'edwards'])
    expect(await answerOf(await issuer.sign(issuer.claims(), { kid }))).toMatchObject({ account: 'acc_a' });
  const accepted: string[] = [];
  for (const [name, make] of badTokens(issuer))
    if (typeof (await answerOf(await make())) !== 'string') accepted.push(name);
  expect(accepted).toEqual([]);
  issuer.close();
  rmSync(folder, { recursive: true });
});
