import { CfnOutput, CfnParameter, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { tables as definitions, type TableName } from '../shared/store/table-definitions.ts';
import { Backups } from './backups.ts';
import { ContentUpdates } from './content-updates.ts';
import { Events } from './events.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { operatorPolicy } from './operator-policy.ts';
import { Reports } from './reports.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { Tables, tableId } from './tables.ts';
import { TaxApi } from './tax-api.ts';

type Props = StackProps & { readonly settings: Settings };

/**
 * Make a template undeployable: it needs a parameter value that does not exist. Its functions use an emulator, which a
 * deployed function cannot reach. SAM needs values only for parameters that are referenced.
 */
const refuseDeployment = (stack: Stack): void => {
  new CfnParameter(stack, 'SamLocalOnly', {
    description: 'This template is for `sam local`. Synthesize one to deploy without `-c sam=true`.',
    // No text matches, not even the empty one.
    allowedPattern: '[^\\s\\S]',
    constraintDescription: 'a template without `-c sam=true`: this one is for `sam local` only',
  });
  Validations.of(stack).acknowledge({
    id: 'CloudFormation-Validate::W2001',
    reason: 'No resource refers to the parameter: its only purpose is to be required.',
  });
};

/**
 * Rules of cfn-lint, and so of `sam validate --lint`, that do not apply. The CDK makes a function depend on its role
 * together with the role's policy, and only the policy is no reference (W3005). The parameter of `refuseDeployment` is
 * unused (W2001).
 */
const lintMetadata = ({ sam }: Settings) => ({
  'cfn-lint': { config: { ignore_checks: ['W3005', ...(sam ? ['W2001'] : [])] } },
});

/** All of Levy's resources in an AWS account. An app can contain several with different names. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: Props) {
    super(scope, id, {
      description: 'Levy: sales tax calculation and a tax transaction ledger',
      stackName: settings.name,
      // Deleting the stack would delete the API and leave the tables.
      terminationProtection: settings.removal === 'retain',
      ...props,
    });
    this.templateOptions.metadata = lintMetadata(settings);
    const tables = new Tables(this, 'Tables', { settings });
    const { vault } = new Backups(this, 'Backups', { tables, settings });
    const api = new TaxApi(this, 'TaxApi', { tables, settings });
    const { failedRuns, invoked } = new Schedules(this, 'Schedules', { tables, settings });
    // SAM supports neither event buses nor pipes.
    const events = settings.events && !settings.sam ? new Events(this, 'Events', { tables, settings }) : null;
    if (events) {
      const value = events.bus.eventBusName;
      new CfnOutput(this, 'EventBus', { value, description: 'The bus of the events' });
    }
    // SAM runs no event sources.
    const reports = settings.sam ? null : new Reports(this, 'Reports', { tables, settings });
    const { contentUpdates } = settings;
    // SAM runs no schedules.
    const updates = contentUpdates !== 'off' && !settings.sam;
    const bus = events?.bus ?? null;
    if (updates)
      invoked.push(new ContentUpdates(this, 'ContentUpdates', { tables, settings, failedRuns, bus }).invoked);
    if (settings.sam) refuseDeployment(this);
    else {
      new Monitoring(this, 'Monitoring', { tables, settings, failedRuns, updates, events, reports, vault });
      const queues = [failedRuns, ...[events, reports].flatMap((one) => one?.deadLetterQueue ?? [])];
      operatorPolicy(this, { tables, scheduled: invoked, queues });
    }
    new CfnOutput(this, 'Url', { value: api.url, description: "The API's base address" });
    if (settings.console)
      new CfnOutput(this, 'Console', { value: `${api.url}/console`, description: 'The page for finance and support' });
    for (const name of Object.keys(definitions) as TableName[])
      new CfnOutput(this, tableId(name), {
        value: tables.nameOf(name),
        description: `TABLE_${name.toUpperCase()} of the commands that work on a deployment`,
      });
    new CfnOutput(this, 'Settings', { value: settings.given, description: 'The settings that were given' });
  }
}
