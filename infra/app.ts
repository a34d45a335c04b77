import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ServiceStack } from './service-stack.ts';
import { settingsOf } from './settings.ts';

/** The CDK app. An unacknowledged finding of cdk-nag fails the synthesis. */
export const levyApp = (props?: AppProps): App => {
  const app = new App(props);
  new ServiceStack(app, 'Levy', { settings: settingsOf(app) });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

// The CDK CLI runs this file; App writes its assembly when the process ends.
if (import.meta.main) levyApp();
