import { join } from 'node:path';
import { type Commands, root } from './commands.ts';
import { account, type Emulator } from './emulator.ts';
import { holds } from './run.ts';

type Setting = Readonly<Record<string, string>>;
export type Stack = {
  readonly name: string;
  readonly words: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The physical id of a resource by its logical id. */
  readonly idOf: (logicalId: string) => string;
  readonly resources: readonly Resource[];
  /** The address of the API at the emulator. */
  readonly url: string;
};
type Resource = {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
};

const given = (settings: Setting) => Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** The name of a stack with these settings. */
export const nameOf = ({ stage }: Setting): string => (stage === undefined ? 'Levy' : `Levy-${stage}`);

/** The CDK's command line on the emulator. `from` is the checkout whose version it deploys. */
export const newCdk = (run: Commands, emulator: Emulator, work: string) => {
  const cdk = (args: readonly string[], from = root) =>
    run(join(from, 'node_modules/.bin/cdk'), [...args, '--no-notices'], { env: emulator.env, cwd: from });
  const output = (name: string) => ['-o', join(work, `cdk.out-${name}`)];

  const describe = async (name: string): Promise<Stack> => {
    const { Stacks } = await emulator.aws('cloudformation', 'describe_stacks', { StackName: name });
    const outputs = Object.fromEntries(
      Stacks[0].Outputs.map((one: { OutputKey: string; OutputValue: string }) => [one.OutputKey, one.OutputValue]),
    );
    const { StackResources } = await emulator.aws('cloudformation', 'describe_stack_resources', { StackName: name });
    const resources: readonly Resource[] = StackResources;
    const ids = new Map(resources.map((one) => [one.LogicalResourceId, one.PhysicalResourceId]));
    const idOf = (logicalId: string): string => {
      const id = ids.get(logicalId);
      holds(id !== undefined, `${name} has no ${logicalId}`);
      return id as string;
    };
    const words = `${resources.length} resources`;
    return { name, words, outputs, idOf, resources, url: emulator.addressOf(outputs['Url']) };
  };

  return {
    describe,
    // Outside of the repository, because the CDK would synthesize the app for it.
    bootstrap: () =>
      run(join(root, 'node_modules/.bin/cdk'), ['bootstrap', `aws://${account}/${emulator.region}`, '--no-notices'], {
        env: emulator.env,
        cwd: work,
      }),
    deploy: async (settings: Setting, from = root): Promise<Stack> => {
      const name = nameOf(settings);
      const options = ['--require-approval', 'never', '--progress', 'events', ...output(name)];
      await cdk(['deploy', ...options, ...given(settings)], from);
      return describe(name);
    },
    /** Deploys the assembly of the previous deployment again. */
    deployAgain: (name: string) =>
      cdk(['deploy', '--app', join(work, `cdk.out-${name}`), '--require-approval', 'never']),
    /** Throws if there is a difference. */
    diff: (name: string) => cdk(['diff', '--app', join(work, `cdk.out-${name}`), '--fail']),
    destroy: (settings: Setting) => cdk(['destroy', '--force', ...output(nameOf(settings)), ...given(settings)]),
    /** Whether a stack has the same resources as before. */
    unchanged: async ({ name, resources }: Stack): Promise<boolean> => {
      const ids = (all: readonly Resource[]) => JSON.stringify(all.map((one) => one.PhysicalResourceId).sort());
      return ids((await describe(name)).resources) === ids(resources);
    },
    /** The logical id of the role with which API Gateway logs, which the stack retains. */
    logRole: ({ resources }: Stack): string => {
      const role = resources.find(
        (one) => one.ResourceType === 'AWS::IAM::Role' && one.LogicalResourceId.includes('CloudWatchRole'),
      );
      holds(role !== undefined, 'there is no role for the logs of API Gateway');
      return role?.LogicalResourceId ?? '';
    },
  };
};

export type Cdk = ReturnType<typeof newCdk>;
