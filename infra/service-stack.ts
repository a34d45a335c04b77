import type { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { LevyStack } from './levy-stack.ts';
import { logGroup } from './log-group.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { addOperatorPolicy } from './operator-policy.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { addEventPipe, addReportCounter } from './stream-consumers.ts';
import { TaxApi } from './tax-api.ts';

/** What runs on the data: API, functions, schedules, alarms and dashboard. All of it can be created again. */
export class ServiceStack extends LevyStack {
  constructor(scope: Construct, id: string, settings: Settings, data: DataStack) {
    super(scope, id, settings, 'API, functions, schedules and alarms');
    const deployment = { settings, data, logs: logGroup(this, 'FunctionLogs', settings) };
    const api = new TaxApi(this, 'TaxApi', deployment);
    const { invoked } = new Schedules(this, 'Schedules', deployment);
    // SAM runs no event sources, and reads neither alarms nor policies.
    if (!settings.sam) {
      const pipe = addEventPipe(this, deployment);
      const counter = addReportCounter(this, deployment);
      new Monitoring(this, 'Monitoring', { settings, data, pipe, counter });
      addOperatorPolicy(this, data, invoked);
    }
    this.output('Url', api.url, "The API's base address");
    if (settings.console) this.output('Console', `${api.url}/console`, 'The page for finance and support');
    this.output('Settings', settings.given, 'The settings that were given');
  }
}
