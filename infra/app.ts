import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { FUTURE_FLAGS, futureFlagDefault } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { CommandError } from '../shared/base/command-error.ts';
import { DataStack } from './data-stack.ts';
import { ServiceStack } from './service-stack.ts';
import { readSettings } from './settings.ts';

// The values that flags have without configuration. The CDK prints after a synthesis how many flags are not configured.
const flagDefaults = {
  ...Object.fromEntries(Object.keys(FUTURE_FLAGS).map((name) => [name, futureFlagDefault(name)])),
  // The service stack reads outputs of the data stack when it is deployed. Exports would block each other's updates (infra/docs/deployment.md).
  '@aws-cdk/core:defaultCrossStackReferences': 'weak',
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc'],
};

/** The CDK app. An unacknowledged finding of cdk-nag fails the synthesis. */
export const levyApp = ({ context, ...props }: AppProps = {}): App => {
  const app = new App({ ...props, context: { ...flagDefaults, ...context } });
  const settings = readSettings(app);
  new ServiceStack(app, 'Levy', settings, new DataStack(app, 'LevyData', settings));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

/** The CDK prints a line for each function that it bundles, which hides warnings. */
export const hideBundlingLines = (): void => {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  stderr.write = (chunk: string | Uint8Array, ...rest: never[]) =>
    String(chunk).startsWith('Bundling asset ') || write(chunk, ...rest);
};

// The CDK CLI runs this file; App writes its assembly when the process ends.
if (import.meta.main)
  try {
    hideBundlingLines();
    levyApp();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
