import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { tables as definitions, type TableName } from '../shared/store/table-definitions.ts';
import { Backups } from './backups.ts';
import { Events } from './events.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { refuseDeployment } from './sam-only.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { Tables, tableId } from './tables.ts';
import { TaxApi } from './tax-api.ts';

type Props = StackProps & { readonly settings: Settings };

/** Everything that Levy needs in an AWS account. It only composes, and an app may hold several with names that differ. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: Props) {
    super(scope, id, {
      description: 'Levy: sales tax calculation and a tax transaction ledger',
      stackName: settings.name,
      // Deleting the stack would leave the tables, and no API before them.
      terminationProtection: settings.removal === 'retain',
      ...props,
    });
    const tables = new Tables(this, 'Tables', { settings });
    const { vault } = new Backups(this, 'Backups', { tables, settings });
    const api = new TaxApi(this, 'TaxApi', { tables, settings });
    const { failedRuns } = new Schedules(this, 'Schedules', { tables, settings });
    // SAM supports neither event buses nor pipes.
    const events = settings.events && !settings.sam ? new Events(this, 'Events', { tables, settings }) : null;
    if (events) {
      const value = events.bus.eventBusName;
      new CfnOutput(this, 'EventBus', { value, description: 'The bus that tells of changes' });
    }
    if (settings.sam) refuseDeployment(this);
    else new Monitoring(this, 'Monitoring', { tables, settings, failedRuns, events, vault });
    new CfnOutput(this, 'Url', { value: api.url, description: "The API's base address" });
    for (const name of Object.keys(definitions) as TableName[])
      new CfnOutput(this, tableId(name), {
        value: tables.nameOf(name),
        description: `TABLE_${name.toUpperCase()} of the commands that work on a deployment`,
      });
    new CfnOutput(this, 'Settings', { value: settings.given, description: 'The settings that were given' });
  }
}
