import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { methodsOf, synthesize, withoutBundling } from './synthesized.ts';

// As the CDK CLI would have it: what tells SAM where the code is.
const synthesized = synthesize({
  sam: '1',
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:enable-path-metadata': true,
});
const { outdir, ofType, template } = synthesized;

const verbs = ['GET', 'DELETE', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'PATCH'];
/** As `sam local start-api` reads it: in the order of the template, ANY as seven verbs, and the last one wins. */
const mounted = Object.fromEntries(
  methodsOf(synthesized).flatMap(({ method, path, handler }) =>
    (method === 'ANY' ? verbs : [method]).map((verb) => [`${verb} ${path}`, handler]),
  ),
);

it.each(Object.entries(endpoints))('SAM mounts %s', (operation, { method, path }) => {
  expect(mounted[`${method} ${path}`]?.toLowerCase()).toBe(operation.replaceAll('-', ''));
});

it('SAM answers 405 to every other method', () => {
  const others = Object.entries(mounted).filter(
    ([at]) => !Object.values(endpoints).some(({ method, path }) => at === `${method} ${path}`),
  );
  expect(new Set(others.map(([, handler]) => handler))).toEqual(new Set(['MethodNotAllowed']));
});

describe.each(ofType('AWS::Lambda::Function'))('SAM and %s', (_id, { Metadata, Properties }) => {
  it('find the code', () => {
    expect(Metadata?.['aws:asset:property']).toBe('Code');
    for (const file of [`${Properties['Handler'].split('.')[0]}.js`, 'package.json']) {
      expect(existsSync(`${outdir}/${Metadata?.['aws:asset:path']}/${file}`)).toBe(true);
    }
  });

  it('run on this machine, against the emulator and its tables', () => {
    expect(Properties['Architectures']).toEqual([process.arch === 'x64' ? 'x86_64' : 'arm64']);
    const { DYNAMODB_ENDPOINT, METHODS_BY_PATH: _, ...named } = Properties['Environment'].Variables;
    expect(DYNAMODB_ENDPOINT).toBe('http://dynamodb:8000');
    for (const [name, value] of Object.entries(named)) expect(name).toBe(`TABLE_${String(value).toUpperCase()}`);
  });
});

it('can be deployed to no account, as it asks for a value that there is not', () => {
  const { Default, AllowedPattern } = template.Parameters?.['SamLocalOnly'] ?? { Default: 'none is asked for' };
  expect(Default).toBeUndefined();
  // CloudFormation holds the pattern against the whole value.
  const taken = new RegExp(`^(?:${AllowedPattern})$`);
  for (const value of ['', ' ', '\n', 'a', '[^\\s\\S]', 'true', 'a'.repeat(4096)]) expect(value).not.toMatch(taken);
  // SAM would want a value of what something refers to.
  expect(JSON.stringify([template.Resources, template.Outputs])).not.toContain('SamLocalOnly');
});

it('leaves the template that is to be deployed without a question', () => {
  const deployed = synthesize({ ...withoutBundling, sam: 'false' }).template;
  const asked = Object.values(deployed.Parameters ?? {}).filter(({ Default }) => Default === undefined);
  expect(asked).toEqual([]);
  expect(JSON.stringify(deployed)).not.toContain('DYNAMODB_ENDPOINT');
});

it('gives each function its own code', () => {
  const folders = ofType('AWS::Lambda::Function').map(([, { Metadata }]) => Metadata?.['aws:asset:path']);
  expect(new Set(folders).size).toBe(folders.length);
});
