import { expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { functionOf, methodsOf, synthesize } from './synthesized.ts';

const synthesized = synthesize({ sam: '1' });
const { ofType, template } = synthesized;

const verbs = ['GET', 'DELETE', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'PATCH'];
/** As `sam local start-api` reads it: in the order of the template, ANY as seven verbs, and the last one wins. */
const mounted = Object.fromEntries(
  methodsOf(synthesized).flatMap(({ method, path, handler }) =>
    (method === 'ANY' ? verbs : [method]).map((verb) => [`${verb} ${path}`, handler]),
  ),
);

it('SAM mounts every endpoint, and answers 405 to every other method', () => {
  for (const [operation, { method, path }] of Object.entries(endpoints)) {
    expect(mounted[`${method} ${path}`]).toBe(functionOf(synthesized, operation)[0]);
    delete mounted[`${method} ${path}`];
  }
  expect(new Set(Object.values(mounted))).toEqual(new Set(['MethodNotAllowed']));
});

it.each(ofType('AWS::Lambda::Function'))('%s runs on this machine with the emulator and its tables', (_id, of) => {
  const { Architectures, Environment } = of.Properties;
  expect(Architectures).toEqual([process.arch === 'x64' ? 'x86_64' : 'arm64']);
  const { DYNAMODB_ENDPOINT, METHODS_BY_PATH: _, ...named } = Environment.Variables;
  expect(DYNAMODB_ENDPOINT).toBe('http://dynamodb:8000');
  for (const [name, value] of Object.entries(named)) expect(name).toBe(`TABLE_${String(value).toUpperCase()}`);
});

it('a template for SAM cannot be deployed: it requires a parameter that no value matches', () => {
  const { Default, AllowedPattern } = template.Parameters?.['SamLocalOnly'] ?? { Default: 'no parameter' };
  expect(Default).toBeUndefined();
  // CloudFormation matches the whole value.
  const allowed = new RegExp(`^(?:${AllowedPattern})$`);
  for (const value of ['', ' ', '\n', 'a', '[^\\s\\S]', 'true', 'a'.repeat(4096)]) expect(value).not.toMatch(allowed);
  // SAM requires values for parameters that are referenced.
  expect(JSON.stringify([template.Resources, template.Outputs])).not.toContain('SamLocalOnly');
});

it('a template to deploy requires no parameter', () => {
  const required = Object.values(synthesize().template.Parameters ?? {}).filter(({ Default }) => Default === undefined);
  expect(required).toEqual([]);
});

// cfn-lint reads them from the template. By hand, because it is no dependency: `sam validate --lint` exits 0 with them.
it('the templates name the rules of cfn-lint that do not apply: two for SAM, one to deploy', () => {
  const ignored = (of: typeof synthesized) => of.template.Metadata?.['cfn-lint']?.config.ignore_checks;
  expect(ignored(synthesized)).toEqual(['W3005', 'W2001']);
  expect(ignored(synthesize())).toEqual(['W3005']);
});
