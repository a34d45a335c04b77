import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levyApp } from '../../infra/app.ts';

export type Resource = {
  readonly Type: string;
  readonly Properties: Record<string, any>;
  readonly Metadata?: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};
export type Template = {
  readonly Parameters?: Record<string, any>;
  readonly Resources: Record<string, Resource>;
  readonly Outputs: Record<string, any>;
};

export type Synthesized = {
  readonly outdir: string;
  readonly template: Template;
  readonly ofType: (type: string) => (readonly [id: string, resource: Resource])[];
};

/** No code is built: almost all of what is tested here is in the template, and is there in a second. */
export const withoutBundling = { 'aws:cdk:bundling-stacks': [] };

const known = new Map<string, Synthesized>();

/** The app of infra/app.ts, cdk-nag included, as `cdk synth` would write it. Each context is synthesized once in a process. */
export const synthesize = (context: Record<string, unknown> = withoutBundling): Synthesized => {
  const key = JSON.stringify(context);
  const synthesized = known.get(key) ?? synthesizeAnew(context);
  known.set(key, synthesized);
  return synthesized;
};

/** The same, without the templates of other tests. */
export const synthesizeAnew = (context: Record<string, unknown> = withoutBundling): Synthesized => {
  const outdir = mkdtempSync(join(tmpdir(), 'levy-infra-'));
  levyApp({ outdir, context }).synth();
  const template: Template = JSON.parse(readFileSync(join(outdir, 'Levy.template.json'), 'utf8'));
  const ofType = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
  return { outdir, template, ofType };
};

/** A reference of the template as text: `Transactions.Arn/index/by_account`. */
export const flat = (value: any): string => {
  if (typeof value === 'string') return value;
  if (value.Ref) return value.Ref;
  if (value['Fn::GetAtt']) return value['Fn::GetAtt'].join('.');
  if (value['Fn::Join']) return value['Fn::Join'][1].map(flat).join(value['Fn::Join'][0]);
  throw new Error(`not a reference: ${JSON.stringify(value)}`);
};

/** The function that a reference leads to, if it is to a function or to the alias of one: its id and `Handler.Arn`. */
export const functionAt = ({ template }: Pick<Synthesized, 'template'>, reference: any): string => {
  const id = flat(reference).replace(/\.Arn$/, '');
  const resource = template.Resources[id];
  return resource?.Type === 'AWS::Lambda::Alias' ? flat(resource.Properties['FunctionName']) : id;
};

/** What of an integration's address names the function: `{"Ref":"ItsLive"}` or `{"Fn::GetAtt":["It","Arn"]}`. */
const calledBy = ({ Uri }: any) => Uri['Fn::Join'][1].find((part: any) => JSON.stringify(part).match(/Live"|,"Arn"\]/));

/** The methods of the API in the order of the template, each with its path and the function behind it. */
export const methodsOf = (synthesized: Synthesized) => {
  const { ofType, template } = synthesized;
  const pathOf = (reference: any): string => {
    if (reference['Fn::GetAtt']) return '';
    const { ParentId, PathPart } = template.Resources[reference.Ref]?.Properties ?? {};
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  return ofType('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    method: Properties['HttpMethod'] as string,
    path: pathOf(Properties['ResourceId']),
    called: flat(calledBy(Properties['Integration'])),
    handler: functionAt(synthesized, calledBy(Properties['Integration'])),
    type: Properties['Integration'].Type as string,
  }));
};
