import { join } from 'node:path';
import { type Entry, entries } from '../../infra/bundling.ts';
import { functionOf, synthesize } from '../infra/synthesized.ts';

/** A function as defined in the synthesized template. */
export type Deployed = {
  readonly name: Entry;
  /** The folder of its code, with index.js. */
  readonly folder: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Its environment variables, except variables that CloudFormation resolves. */
  readonly environment: Readonly<Record<string, string>>;
};

type Properties = {
  readonly Handler: string;
  readonly Runtime: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
};

/** Returns every function of the default deployment, bundled by a synthesis. */
export const deployedFunctions = (): ReadonlyMap<Entry, Deployed> => {
  const synthesized = synthesize({ 'aws:cdk:bundling-stacks': ['**'], 'aws:cdk:enable-asset-metadata': true });
  return new Map(
    entries.map((name) => {
      const [, { Properties, Metadata }] = functionOf(synthesized, name);
      const { Handler, Runtime, Timeout, MemorySize, Environment } = Properties as unknown as Properties;
      if (Handler !== 'index.handler' || Runtime !== 'nodejs24.x') throw new Error(`${name}: ${Handler} on ${Runtime}`);
      const variables = Object.entries(Environment?.Variables ?? {}).filter(([, value]) => typeof value === 'string');
      const folder = join(synthesized.outdir, Metadata?.['aws:asset:path'] ?? '');
      const environment = Object.fromEntries(variables) as Record<string, string>;
      return [name, { name, folder, timeoutSeconds: Timeout, memoryMegabytes: MemorySize, environment }];
    }),
  );
};
