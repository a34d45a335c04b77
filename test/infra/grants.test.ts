import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { endpoint as taxjar } from '../../functions/taxjar.ts';
import { type Action, type TableAccess, writablePartitions } from '../../shared/store/table-access.ts';
import {
  allowedTo,
  deployments,
  flat,
  getFunction,
  getId,
  listed,
  listStatements,
  type Statement,
  type Synthesized,
} from './synthesized.ts';

const { standard: synthesized, everySetting: all, disposable: activating } = deployments;
const { ofType, listProperties } = synthesized;
const tableIds = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
const defined: Record<string, TableAccess> = Object.fromEntries(
  Object.entries({ ...endpoints, ...schedules, taxjar }).map(([name, { access }]) => [name, access]),
);
// This access is written by hand, not derived from the definition.
const onContent = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];
const entries: Record<string, TableAccess> = {
  'update-content': { actions: { content: onContent as Action[] } },
  'method-not-allowed': { actions: {} },
  'announce-changes': { actions: {} },
  'count-transactions': {
    actions: { transactions: ['BatchGetItem', 'PutItem'], accounts: ['BatchGetItem'] },
    partitions: { transactions: ['T#*', 'S#*'], accounts: ['ACCOUNT#*'] },
  },
  ...defined,
};
const getRole = (entry: string) => getId(getFunction(synthesized, entry)[1].Properties['Role']);

type Table = keyof typeof tableIds;
const within = (partitions: readonly string[] = []): string => partitions.map((partition) => ` ${partition}`).join('');

/** The permissions of a definition. `test/integration/grants.test.ts` compares the definitions with their use. */
const expectedOnTables = (access: TableAccess): string[] => {
  const { actions: byTable, indexes = [], partitions = {}, readOnly = [] } = access;
  const writable = (table: Table) => (table === 'accounts' ? writablePartitions(access) : {});
  return [
    ...readOnly.map(([action, partition]) => `Allow dynamodb:${action} on TransactionsTable.Arn ${partition}`),
    ...(Object.entries(byTable) as [Table, readonly Action[]][]).flatMap(([table, actions]) => {
      const limits = (action: Action) => within(writable(table)[action] ?? partitions[table]);
      return actions.map((action) => `Allow dynamodb:${action} on ${tableIds[table]}.Arn${limits(action)}`);
    }),
    ...indexes.map(
      (index) => `Allow dynamodb:Query on TransactionsTable.Arn/index/${index}${index === 'drafts' ? ' D#*' : ''}`,
    ),
  ];
};

/** Returns a role's permissions as `action on resource`, with the partitions to which they are limited. */
const listPermissions = (roleId: string): string[] =>
  listStatements(synthesized, roleId)
    .flatMap(({ Effect, Action, Resource: on, Condition }) => {
      const keys = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
      return listed(Action).flatMap((action) =>
        listed(on).map((at) => `${Effect} ${action} on ${flat(at)}${within(keys)}`),
      );
    })
    .sort();

it('defines a separate role for every function, and no other role', () => {
  expect(ofType('AWS::Lambda::Function')).toHaveLength(Object.keys(entries).length);
  expect(new Set(Object.keys(entries).map(getRole)).size).toBe(Object.keys(entries).length);
});

const deadLetters = ['SendMessage', 'GetQueueAttributes', 'GetQueueUrl'].map((action) => `Allow sqs:${action} on`);
/** Permissions of functions in addition to their tables. */
const others = (entry: string): string[] => {
  if (entry === 'count-transactions')
    return [
      ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
        (action) => `Allow dynamodb:${action} on TransactionsTable.StreamArn`,
      ),
      ...['Allow dynamodb:ListStreams on *', ...deadLetters.map((allowed) => `${allowed} UncountedTransactions.Arn`)],
    ];
  const failedRuns = deadLetters.map((allowed) => `${allowed} FailedRuns.Arn`);
  if (entry === 'update-content')
    return [
      ...['PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `Deny dynamodb:${action} on ContentTable.Arn`),
      ...['Allow events:PutEvents on EventBus.Arn', ...failedRuns],
    ];
  return entry in schedules ? failedRuns : [];
};

it.each(Object.entries(entries))(
  'grants %s exactly the permissions in its definition, and the names of its tables',
  (entry, access) => {
    const [id, { Properties }] = getFunction(synthesized, entry);
    const group = 'arn:AWS::Partition:logs:AWS::Region:AWS::AccountId:log-group:FunctionLogs';
    expect(listPermissions(getRole(entry))).toEqual(
      [
        'Allow logs:CreateLogStream on FunctionLogs.Arn',
        // A log stream is 2026/11/27/Levy-GetAccount-1A2B3C[7]0f1e2d. No other function's name starts with this
        // function's name.
        `Allow logs:PutLogEvents on ${group}:log-stream:*/Levy-${id}-*`,
        ...[...expectedOnTables(access), ...others(entry)],
      ].sort(),
    );
    expect(synthesized.at(getRole(entry)).ManagedPolicyArns).toBeUndefined();
    const { Variables = {} } = Properties.Environment ?? {};
    const { METHODS_BY_PATH: _, CONTENT_UPDATES: __, EVENT_BUS: ___, ...variables } = Variables;
    const names = Object.keys(access.actions) as Table[];
    const expected = names.map((name) => [`TABLE_${name.toUpperCase()}`, { Ref: tableIds[name] }]);
    expect(variables).toEqual(Object.fromEntries(expected));
  },
);

it('denies changes of the active release to updates unless they activate releases, and grants no events without a bus', () => {
  const denied = (deployment: Synthesized) =>
    listStatements(deployment, getId(getFunction(deployment, 'update-content')[1].Properties.Role)).filter(
      ({ Effect }) => Effect === 'Deny',
    );
  const active = { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': ['ACTIVE'] } };
  expect(denied(synthesized).map(({ Condition }) => Condition)).toEqual([active]);
  expect(denied(activating)).toEqual([]);
  expect(allowedTo(activating).filter((allowed) => allowed.includes('events:'))).toEqual([]);
});

it('allows the use of a customer-managed key only through DynamoDB, and its description for backups', () => {
  const statements = listStatements(all).filter(({ Resource: on }) => listed(on).map(flat).includes('DataKey.Arn'));
  expect(statements.length).toBeGreaterThan(15);
  for (const { Action, Condition } of statements.filter(({ Action }) => Action !== 'kms:DescribeKey')) {
    expect(JSON.stringify(Action)).not.toContain('*');
    expect(flat(Condition?.['StringEquals']?.['kms:ViaService'])).toBe('dynamodb.AWS::Region.amazonaws.com');
  }
  expect(statements.filter(({ Action }) => Action === 'kms:DescribeKey')).toHaveLength(1);
});

it('limits updates of the accounts table to request counters, key usage and, in one function, accounts', () => {
  const updates = Object.keys(entries).flatMap((entry) =>
    listPermissions(getRole(entry)).filter((permission) => permission.includes('UpdateItem on AccountsTable')),
  );
  const callers = Object.values(defined).filter(({ actions }) => actions.accounts?.includes('UpdateItem'));
  expect(updates.length).toBe(callers.length);
  const others = 'Allow dynamodb:UpdateItem on AccountsTable.Arn RATE#* USE#*';
  expect(updates.filter((permission) => permission !== others)).toEqual([`${others} ACCOUNT#*`]);
});

// The list is written by hand, not derived from the definition.
it('allows a calculation only to get ledger items, one by one or in batches', () => {
  const ledger = allowedTo(synthesized, getRole('create-calculation')).filter((of) => of.includes('TransactionsTable'));
  expect(ledger).toEqual([
    'Allow dynamodb:BatchGetItem on TransactionsTable.Arn',
    'Allow dynamodb:GetItem on TransactionsTable.Arn',
  ]);
});

// The list is written by hand, not derived from the definitions.
it('grants writes of customers only to the two customer functions and the TaxJar-compatible API', () => {
  const isWrite = (permission: string) => /:(Put|Update|Delete)Item on .* C#\*/.test(permission);
  const writers = Object.keys(entries).filter((entry) => listPermissions(getRole(entry)).some(isWrite));
  expect(writers.sort()).toEqual(['create-customer', 'taxjar', 'update-customer']);
});

it('grants no function access to the whole ledger or all accounts', () => {
  const isWhole = (permission: string) => /Allow dynamodb:\w+ on (Transactions|Accounts)Table\.Arn$/.test(permission);
  for (const entry of Object.keys(defined))
    expect([entry, listPermissions(getRole(entry)).filter(isWhole)]).toEqual([entry, []]);
});

it('adds only the permission to send traces to every function if tracing=true', () => {
  const traces = ['Allow xray:PutTelemetryRecords on *', 'Allow xray:PutTraceSegments on *'];
  for (const entry of Object.keys(entries))
    expect(allowedTo(all, getRole(entry)).filter((allowed) => allowed.includes('xray'))).toEqual(traces);
  expect(allowedTo(synthesized).filter((allowed) => allowed.includes('xray'))).toEqual([]);
});

it("uses wildcards only for alarms, streams, logs, versions and backups, and a managed policy only for API Gateway's log role", () => {
  const withoutIds = (allowed: string) => allowed.replace(/ \w+Table\./, ' table.').replace(/ \w+\.Arn:/, ' function:');
  const wildcards = allowedTo(synthesized)
    .filter((allowed) => allowed.includes('*'))
    .map((allowed) => withoutIds(allowed.replace(/^Allow /, '')));
  expect([...new Set(wildcards)].filter((allowed) => !allowed.startsWith('logs:PutLogEvents')).sort()).toEqual([
    'cloudwatch:DescribeAlarms on *',
    'dynamodb:DeleteBackup on table.Arn/backup/*',
    'dynamodb:DescribeBackup on table.Arn/backup/*',
    'dynamodb:ListStreams on *',
    ...['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'].map((action) => `lambda:${action} on function:*`),
  ]);
  const roles = listProperties('AWS::IAM::Role');
  expect(roles.flatMap(({ ManagedPolicyArns = [] }) => ManagedPolicyArns).map(flat)).toEqual([
    'arn:AWS::Partition:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
  ]);
});

describe('the policy for operators', () => {
  const statements = (deployment: Synthesized): Statement[] => deployment.at('OperatorPolicy').PolicyDocument.Statement;

  // The snapshot has the policy, and an integration test compares its access to tables with the commands.
  it('grants no scans, deletions or exports of tables, wildcards only for reads, and no role', () => {
    for (const { Action, Resource: on } of statements(synthesized))
      for (const action of listed(Action)) {
        expect(action).not.toMatch(/\*|dynamodb:(Scan|Export|Delete(?!Item)|\w*Table|\w*Backup)/);
        if (listed(on).includes('*')) expect(action).toMatch(/:(Get|List|Describe|StopQuery)/);
      }
    expect(synthesized.at('OperatorPolicy')).not.toHaveProperty('Roles');
  });

  const listAllowed = (deployment: Synthesized): string[] =>
    statements(deployment)
      .flatMap(({ Action, Resource: on }) =>
        listed(Action).flatMap((action) => listed(on).map((at) => `${action} on ${flat(at)}`)),
      )
      .sort();

  // Written by hand, from the pages. `null`: the page names another role.
  const pages = ['runbook.md', 'docs/operations.md'];
  const queues = ['FailedRuns', 'UncountedTransactions', 'UntoldEvents'];
  const permissions: Readonly<Record<string, readonly string[] | null>> = {
    'backup list-backup-jobs': ['backup:ListBackupJobs on *'],
    'backup list-backup-vaults': ['backup:ListBackupVaults on *'],
    'backup list-copy-jobs': ['backup:ListCopyJobs on *'],
    'backup start-backup-job': null,
    'cloudformation cancel-update-stack': null,
    'cloudformation describe-stack-resource': ['cloudformation:DescribeStackResource on AWS::StackId'],
    'cloudformation describe-stacks': ['cloudformation:DescribeStacks on AWS::StackId'],
    'cloudwatch describe-alarm-history': ['cloudwatch:DescribeAlarmHistory on *'],
    'cloudwatch list-metrics': ['cloudwatch:ListMetrics on *'],
    'cloudwatch set-alarm-state': null,
    'events put-events': ['events:PutEvents on EventBus.Arn'],
    'lambda get-account-settings': ['lambda:GetAccountSettings on *'],
    'lambda get-alias': null,
    'lambda invoke': ['SweepDrafts', 'ClosePeriods', 'UpdateContent'].map((id) => `lambda:InvokeFunction on ${id}Live`),
    'lambda list-event-source-mappings': ['lambda:ListEventSourceMappings on *'],
    'lambda list-versions-by-function': null,
    'lambda update-alias': null,
    'pipes list-pipes': ['pipes:ListPipes on *'],
    'pipes start-pipe': ['pipes:StartPipe on EventPipe.Arn'],
    'scheduler list-schedules': ['scheduler:ListSchedules on *'],
    'sqs purge-queue': queues.map((id) => `sqs:PurgeQueue on ${id}.Arn`),
    'sqs receive-message': queues.map((id) => `sqs:ReceiveMessage on ${id}.Arn`),
  };

  it('allows each command of the runbook and of the operations page, unless the page names another role', () => {
    const commands = pages.flatMap((page) => {
      const text = readFileSync(new URL(`../../infra/${page}`, import.meta.url), 'utf8');
      return [...text.matchAll(/\baws ([a-z]+ [a-z]+(?:-[a-z]+)*)/g)].map(([, command = '']) => command);
    });
    expect([...new Set(commands)].sort()).toEqual(Object.keys(permissions));
    const needed = Object.values(permissions).flatMap((allowed) => allowed ?? []);
    expect(listAllowed(synthesized)).toEqual(expect.arrayContaining(needed));
  });

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/permissions-reference-cw.html, and for logs
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/permissions-reference-cwl.html
  it('allows the first steps of the runbook in the console: the dashboard and log queries', () => {
    const metrics = ['GetDashboard', 'ListDashboards', 'GetMetricData', 'DescribeAlarms'];
    const logs = ['DescribeLogGroups on *', 'StartQuery on FunctionLogs.Arn', 'GetQueryResults on *'];
    const needed = [
      ...metrics.map((action) => `cloudwatch:${action} on *`),
      ...logs.map((allowed) => `logs:${allowed}`),
    ];
    expect(listAllowed(synthesized)).toEqual(expect.arrayContaining(needed));
  });

  it('allows purges of dead-letter queues only, events on the bus only, and a start of the event pipe only', () => {
    const listChanges = (deployment: Synthesized) =>
      listAllowed(deployment).filter((allowed) => /^(events|pipes|sqs):(?!Get|List|Receive)/.test(allowed));
    const purges = queues.map((id) => `sqs:PurgeQueue on ${id}.Arn`);
    const ofEvents = ['events:PutEvents on EventBus.Arn', 'pipes:StartPipe on EventPipe.Arn'];
    expect(listChanges(synthesized)).toEqual([...ofEvents, ...purges]);
    // With events=false, only the other queues remain.
    expect(listChanges(activating)).toEqual(purges.slice(0, 2));
  });

  it('allows the use of a customer-managed key only through DynamoDB', () => {
    const ofKeys = statements(all).filter(({ Action }) => JSON.stringify(Action).includes('kms:'));
    expect(ofKeys.map(({ Resource: on }) => flat(listed(on)[0]))).toEqual(['DataKey.Arn']);
    expect(flat(ofKeys[0]?.Condition?.['StringEquals']?.['kms:ViaService'])).toBe('dynamodb.AWS::Region.amazonaws.com');
  });

  it('fits the 6,144-character limit of a managed policy with the longest names', () => {
    const longest = `arn:aws-us-gov:logs:us-gov-west-1:123456789012:${'x'.repeat(64)}`;
    const text = JSON.stringify(statements(all), (_key, value) =>
      value?.Ref || value?.['Fn::GetAtt'] ? longest : value,
    );
    expect(text.length).toBeLessThan(6144);
  });
});

it('denies stack updates that replace or delete a table, a vault or a key of the data stack', () => {
  const path = new URL('../../infra/operations/stack-policy.json', import.meta.url);
  const [allowed, denied, ...others] = JSON.parse(readFileSync(path, 'utf8')).Statement;
  expect([others, allowed]).toEqual([[], { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' }]);
  expect(denied).toMatchObject({ Effect: 'Deny', Principal: '*', Action: ['Update:Replace', 'Update:Delete'] });
  const kept = Object.entries(all.data.Resources).flatMap(([id, { Type, DeletionPolicy }]) =>
    /^Retain/.test(DeletionPolicy ?? '') && /DynamoDB|BackupVault|KMS/.test(Type) ? [`LogicalResourceId/${id}`] : [],
  );
  expect(kept.length).toBe(6);
  expect(denied.Resource.toSorted()).toEqual(kept.sort());
});
