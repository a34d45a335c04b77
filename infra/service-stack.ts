import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Backups } from './backups.ts';
import { Events } from './events.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { Schedules } from './schedules.ts';
import { settingsOf } from './settings.ts';
import { Tables } from './tables.ts';
import { TaxApi } from './tax-api.ts';

/** Everything that Levy needs in an AWS account. It only composes. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    const settings = settingsOf(scope.node);
    super(scope, id, {
      description: 'Levy: sales tax calculation and a tax transaction ledger',
      stackName: settings.name,
      // Deleting the stack would leave the tables, and no API before them.
      terminationProtection: settings.removal === 'retain',
      ...props,
    });
    const tables = new Tables(this, 'Tables', { settings });
    // Backups would keep the stack that may lose its data from being deleted.
    if (settings.removal === 'retain') new Backups(this, 'Backups', { tables, settings });
    const api = new TaxApi(this, 'TaxApi', { tables, settings });
    new Schedules(this, 'Schedules', { tables, settings });
    // SAM knows neither buses nor pipes.
    if (settings.events && !settings.sam) {
      const { bus } = new Events(this, 'Events', { tables, settings });
      new CfnOutput(this, 'EventBus', { value: bus.eventBusName, description: 'The bus that tells of changes' });
    }
    if (!settings.sam) new Monitoring(this, 'Monitoring', { tables, settings });
    new CfnOutput(this, 'Url', { value: api.url, description: "The API's base address" });
    new CfnOutput(this, 'AccountsTable', {
      value: tables.nameOf('accounts'),
      description: 'TABLE_ACCOUNTS of `npm run accounts`, which makes accounts and their API keys',
    });
  }
}
