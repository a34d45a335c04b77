import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Schedules } from './schedules.ts';
import { settingsOf } from './settings.ts';
import { Tables } from './tables.ts';
import { TaxApi } from './tax-api.ts';

/** Everything that Levy needs in an AWS account. It only composes. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, { description: 'Levy: sales tax calculation and a tax transaction ledger', ...props });
    const settings = settingsOf(this.node);
    const tables = new Tables(this, 'Tables');
    const api = new TaxApi(this, 'TaxApi', { tables, settings });
    new Schedules(this, 'Schedules', { tables, settings });
    new CfnOutput(this, 'Url', { value: api.url, description: "The API's base address" });
    new CfnOutput(this, 'AccountsTable', {
      value: tables.nameOf('accounts'),
      description: 'TABLE_ACCOUNTS of `npm run accounts`, which makes accounts and their API keys',
    });
  }
}
