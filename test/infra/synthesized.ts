import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Stack } from 'aws-cdk-lib';
// The settings of the deployments that the tests read, by name. `everySetting` has a value for every setting that adds or
// changes resources; the data of `disposable` can be deleted.
import contexts from './deployments.json' with { type: 'json' };

/** A reference in the template: a string, or an intrinsic function that CloudFormation resolves. */
export type Reference =
  | string
  | {
      readonly Ref?: string;
      readonly 'Fn::GetAtt'?: readonly string[];
      readonly 'Fn::Join'?: readonly [between: string, parts: readonly Reference[]];
    };
export type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: Reference | readonly Reference[];
  readonly Principal?: { readonly Service?: string };
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, any>>>>;
};
/** The properties of a resource of any type. */
export type Properties = any;
export type Resource = {
  readonly Type: string;
  readonly Properties: Properties;
  readonly DependsOn?: readonly string[];
  readonly UpdatePolicy?: { readonly CodeDeployLambdaAliasUpdate: { readonly DeploymentGroupName: Reference } };
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};
type Template = {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string; readonly AllowedPattern?: string }>>;
  readonly Metadata?: { readonly 'cfn-lint'?: { readonly config: { readonly ignore_checks: readonly string[] } } };
  readonly Resources: Record<string, Resource>;
  readonly Outputs: Readonly<Record<string, { readonly Value: Reference }>>;
};
type Name = keyof typeof contexts;

/** Replaces each reference to an output of another stack by the output's value. */
const resolved = (value: any, outputs: Template['Outputs']): any => {
  if (typeof value !== 'object' || value === null) return value;
  const { 'Fn::GetStackOutput': output } = value;
  if (output) return outputs[output.OutputName]?.Value;
  if (Array.isArray(value)) return value.map((one) => resolved(one, outputs));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, outputs)]));
};

const read = (outdir: string) => {
  const getTemplate = (name: string) => JSON.parse(readFileSync(join(outdir, `${name}.template.json`), 'utf8'));
  const data: Template = getTemplate('LevyData');
  // References to outputs of the data stack are replaced by their values.
  const service: Template = resolved(getTemplate('Levy'), data.Outputs);
  // The resources and outputs of both stacks. The logical ids are distinct.
  const template: Template = {
    ...service,
    Resources: { ...data.Resources, ...service.Resources },
    Outputs: { ...data.Outputs, ...service.Outputs },
  };
  const ofType = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
  /** Returns the properties of the resource with this id. */
  const at = (id: string): Properties => {
    const resource = template.Resources[id];
    if (!resource) throw new Error(`${id} is not in the templates.`);
    return resource.Properties;
  };
  const listProperties = (type: string) => ofType(type).map(([, { Properties }]) => Properties);
  return { outdir, data, service, template, ofType, listProperties, at };
};
export type Synthesized = ReturnType<typeof read>;

/** The output folder of an app with a queue in each stack that cdk-nag must report, and the error of its synthesis. */
export const carelessFolder = 'careless';

/**
 * Synthesizes the apps as `cdk synth` does, with cdk-nag. It skips bundling, because bundling.long.test.ts tests the
 * code. One process is enough, because the CDK takes longer to load its validator than to synthesize all templates.
 */
const synthesizeAll = async (folder: string): Promise<void> => {
  const { levyApp } = await import('../../infra/app.ts');
  const { Queue } = await import('aws-cdk-lib/aws-sqs');
  const newApp = (name: string, context: object = {}) =>
    levyApp({ outdir: join(folder, name), context: { 'aws:cdk:bundling-stacks': [], ...context } });
  for (const [name, context] of Object.entries(contexts)) newApp(name, context).synth();
  const careless = newApp(carelessFolder);
  for (const stack of ['Levy', 'LevyData']) new Queue(careless.node.findChild(stack) as Stack, 'Careless');
  try {
    careless.synth();
  } catch (error) {
    writeFileSync(join(folder, carelessFolder, 'error.txt'), String(error));
  }
};

/** Returns the folder of the templates. The first process of a test run writes them, and the others wait for it. */
const synthesizeOnce = async (): Promise<string> => {
  const folder = join(tmpdir(), 'levy-infra');
  const [done, failed] = [join(folder, 'done'), join(folder, 'failed')];
  try {
    mkdirSync(folder);
  } catch {
    for (const until = Date.now() + 110_000; !existsSync(done); await setTimeout(50))
      if (existsSync(failed) || Date.now() > until) throw new Error('Another process did not synthesize the apps.');
    return folder;
  }
  await synthesizeAll(folder).catch((error) => {
    writeFileSync(failed, '');
    throw error;
  });
  writeFileSync(done, '');
  return folder;
};

export const folder = await synthesizeOnce();
const byName = Object.fromEntries(Object.keys(contexts).map((name) => [name, read(join(folder, name))]));
/** The deployments of `contexts`. */
export const deployments = byName as Readonly<Record<Name, Synthesized>>;

/** Renders a template reference as a string: `TransactionsTable.Arn/index/by_account`. */
export const flat = (value: Reference | undefined): string => {
  if (typeof value === 'string') return value;
  if (value?.Ref) return value.Ref;
  if (value?.['Fn::GetAtt']) return value['Fn::GetAtt'].join('.');
  if (value?.['Fn::Join']) return value['Fn::Join'][1].map(flat).join(value['Fn::Join'][0]);
  throw new Error(`not a reference: ${JSON.stringify(value)}`);
};

/** Returns the logical id in a reference to a resource or to one of its attributes. */
export const getId = (reference: Reference | undefined): string => flat(reference).replace(/\.\w+$/, '');

export const listed = <Value>(value: Value | readonly Value[]): Value[] => [value].flat() as Value[];

/** Returns the statements of a role; without an id, of all roles. Each role has inline permissions only. */
export const listStatements = ({ ofType }: Synthesized, roleId?: string): Statement[] =>
  ofType('AWS::IAM::Role')
    .filter(([id]) => roleId === undefined || id === roleId)
    .flatMap(([, { Properties }]) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement);

/** Returns a role's permissions as `action on resource`, sorted. */
export const allowedTo = (synthesized: Synthesized, roleId?: string): string[] =>
  listStatements(synthesized, roleId)
    .flatMap(({ Effect, Action, Resource: on }) =>
      listed(Action).flatMap((action) => listed(on).map((at) => `${Effect} ${action} on ${flat(at)}`)),
    )
    .sort();

/** Returns the id of the function in a reference to it or to its alias. */
export const functionAt = ({ template }: Synthesized, reference: Reference | undefined): string => {
  const id = getId(reference);
  const resource = template.Resources[id];
  return resource?.Type === 'AWS::Lambda::Alias' ? flat(resource.Properties['FunctionName']) : id;
};

/** Returns the function of an entry in functions/: its id is the entry in Pascal case. */
export const getFunction = ({ ofType }: Synthesized, entry: string): readonly [string, Resource] => {
  const found = ofType('AWS::Lambda::Function').find(([id]) => id.toLowerCase() === entry.replaceAll('-', ''));
  if (!found) throw new Error(`${entry} has no function`);
  return found;
};

/** Returns the API's methods in template order, each with its path and function. */
export const listMethods = (synthesized: Synthesized) =>
  Object.entries<Properties>(synthesized.at('Api').Body.paths).flatMap(([path, operations]) =>
    Object.entries<Properties>(operations).map(([name, operation]) => {
      const { type, uri } = operation['x-amazon-apigateway-integration'];
      // The part of the address with the function or its alias.
      const called = uri['Fn::Join'][1].find((part: unknown) => JSON.stringify(part).match(/Live"|,"Arn"\]/));
      const method = name === 'x-amazon-apigateway-any-method' ? 'ANY' : name.toUpperCase();
      return { method, path, called: flat(called), handler: functionAt(synthesized, called), type };
    }),
  );
