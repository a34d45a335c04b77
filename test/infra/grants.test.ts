import { describe, expect, it } from 'vitest';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import type { TableAccess } from '../../shared/store/table-access.ts';
import { flat, type Resource, synthesize } from './synthesized.ts';

const { ofType, template } = synthesize();
const tableIds = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
const defined: Record<string, TableAccess> = Object.fromEntries(
  Object.entries({ ...endpoints, ...schedules }).map(([name, { access }]) => [name, access]),
);
const entries: Record<string, TableAccess> = {
  'method-not-allowed': { actions: {} },
  'announce-changes': { actions: {} },
  ...defined,
};
const functions = Object.fromEntries(ofType('AWS::Lambda::Function'));
const functionOf = (entry: string): Resource => {
  const found = Object.entries(functions).find(([id]) => id.toLowerCase() === entry.replaceAll('-', ''));
  if (!found) throw new Error(`${entry} has no function`);
  return found[1];
};

const listed = (value: any): any[] => (Array.isArray(value) ? value : [value]);
const statementsOf = (roleId: string) =>
  ofType('AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties['Roles'].some((role: any) => role.Ref === roleId))
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement);
/** Everything that a role allows, as `action on resource`. */
const allowedTo = (roleId: string): string[] =>
  statementsOf(roleId)
    .flatMap(({ Effect, Action, Resource: on }: any) =>
      listed(Action).flatMap((action) => listed(on).map((at) => `${Effect} ${action} on ${flat(at)}`)),
    )
    .sort();

const expectedOnTables = ({ actions: byTable, indexes = [] }: TableAccess): string[] => [
  ...Object.entries(byTable).flatMap(([name, actions]) =>
    actions.map((action) => `Allow dynamodb:${action} on ${tableIds[name as keyof typeof tableIds]}.Arn`),
  ),
  ...indexes.map((index) => `Allow dynamodb:Query on TransactionsTable.Arn/index/${index}`),
];

it('gives every defined function, and no other, a role of its own', () => {
  expect(Object.keys(functions)).toHaveLength(Object.keys(entries).length);
  const roles = Object.keys(entries).map((entry) => flat(functionOf(entry).Properties['Role']));
  expect(new Set(roles).size).toBe(roles.length);
});

describe.each(Object.entries(entries))('%s', (entry, access) => {
  const { Role, LoggingConfig, Environment } = functionOf(entry).Properties;
  const roleId = flat(Role).replace(/\.Arn$/, '');
  const role = template.Resources[roleId]?.Properties ?? {};

  it('may do exactly what its definition says, write its own log, and send its traces', () => {
    const logs = `${flat(LoggingConfig.LogGroup)}.Arn`;
    const expected = [
      `Allow logs:CreateLogStream on ${logs}`,
      `Allow logs:PutLogEvents on ${logs}`,
      'Allow xray:PutTraceSegments on *',
      'Allow xray:PutTelemetryRecords on *',
      ...expectedOnTables(access),
      ...(entry in schedules
        ? ['SendMessage', 'GetQueueAttributes', 'GetQueueUrl'].map((action) => `Allow sqs:${action} on FailedRuns.Arn`)
        : []),
    ];
    expect(allowedTo(roleId)).toEqual(expected.sort());
    expect([role['ManagedPolicyArns'], role['Policies']]).toEqual([undefined, undefined]);
  });

  it('knows the names of the tables that it may use, and of no others', () => {
    const named = Object.keys(access.actions).map((name) => [
      `TABLE_${name.toUpperCase()}`,
      { Ref: tableIds[name as keyof typeof tableIds] },
    ]);
    const { METHODS_BY_PATH: _, ...variables } = Environment?.Variables ?? {};
    expect(variables).toEqual(Object.fromEntries(named));
  });
});

it('lets nobody update anything of the accounts but the counts of requests and the uses of keys', () => {
  const updates = ofType('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .filter(({ Action, Resource: on }: any) => {
      const actions = listed(Action);
      return actions.includes('dynamodb:UpdateItem') && listed(on).some((at) => flat(at).startsWith('AccountsTable'));
    });
  const callers = Object.values(defined).filter(({ actions }) => actions.accounts?.includes('UpdateItem'));
  expect(updates.length).toBe(callers.length);
  for (const { Action, Condition } of updates)
    expect({ Action, Condition }).toEqual({
      Action: 'dynamodb:UpdateItem',
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*', 'USE#*'] } },
    });
});

it('lets a calculation only get an item of the ledger, whatever its definition says', () => {
  const ledger = allowedTo(flat(functionOf('create-calculation').Properties['Role']).replace(/\.Arn$/, '')).filter(
    (allowance) => allowance.includes('TransactionsTable'),
  );
  expect(ledger).toEqual(['Allow dynamodb:GetItem on TransactionsTable.Arn']);
});

const conditionsOf = (entry: string, on: string) =>
  statementsOf(flat(functionOf(entry).Properties['Role']).replace(/\.Arn$/, ''))
    .filter(({ Resource: at }: any) => listed(at).map(flat).includes(on))
    .filter(({ Action }: any) => !listed(Action).includes('dynamodb:UpdateItem'))
    .map(({ Condition }: any) => Condition);
const leading = (...partitions: string[]) => [{ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } }];

// Written out, and not taken from the definitions: what a function must never reach, whatever its code does.
it.each([
  ['create-calculation', 'TransactionsTable.Arn', leading('T#*')],
  ['get-transaction', 'TransactionsTable.Arn', leading('T#*')],
  ['list-transactions', 'TransactionsTable.Arn', leading('T#*')],
  ['create-transaction', 'TransactionsTable.Arn', leading('T#*', 'R#*', 'I#*', 'O#*')],
  ['get-filing', 'TransactionsTable.Arn', leading('F#*')],
  ['create-reconciliation', 'TransactionsTable.Arn', leading('T#*', 'R#*')],
  ['sweep-drafts', 'TransactionsTable.Arn', leading('T#*')],
  ['sweep-drafts', 'TransactionsTable.Arn/index/drafts', leading('D#*')],
  ['close-periods', 'TransactionsTable.Arn', leading('T#*', 'O#*', 'F#*', 'P#*', 'W')],
  // Not the keys: a schedule has no caller.
  ['close-periods', 'AccountsTable.Arn', leading('ACCOUNT#*', 'ACCOUNTS')],
  ['create-calculation', 'AccountsTable.Arn', leading('KEY#*', 'ACCOUNT#*')],
])('shuts %s out of all of %s but its own partitions', (entry, on, expected) => {
  expect(conditionsOf(entry, on)).toEqual(expected);
});

it('leaves no function the whole ledger, nor all accounts', () => {
  for (const [entry, { actions: tables }] of Object.entries(defined))
    for (const table of ['transactions', 'accounts'] as const)
      for (const condition of table in tables ? conditionsOf(entry, `${tableIds[table]}.Arn`) : [])
        expect([entry, condition?.['ForAllValues:StringLike']]).toEqual([
          entry,
          { 'dynamodb:LeadingKeys': expect.any(Array) },
        ]);
});

it('has no wildcard but for traces, alarms, versions and backups, and no managed policy but the one for the logs of API Gateway', () => {
  const wildcards = ofType('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .flatMap(({ Action, Resource: on }: any) =>
      listed(Action).flatMap((action) => listed(on).map((at) => [action, flat(at)])),
    )
    .filter(([action, at]) => action.includes('*') || at.includes('*'));
  const said = wildcards.map(
    ([action, at]) => `${action} on ${at.replace(/^\w+Table\./, 'table.').replace(/^\w+\.Arn:/, 'function:')}`,
  );
  expect([...new Set(said)].sort()).toEqual([
    'cloudwatch:DescribeAlarms on *',
    'dynamodb:DeleteBackup on table.Arn/backup/*',
    'dynamodb:DescribeBackup on table.Arn/backup/*',
    ...['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'].map((action) => `lambda:${action} on function:*`),
    'xray:PutTelemetryRecords on *',
    'xray:PutTraceSegments on *',
  ]);
  const roles = ofType('AWS::IAM::Role');
  expect(roles.flatMap(([, { Properties }]) => Properties['Policies'] ?? [])).toEqual([]);
  expect(roles.flatMap(([, { Properties }]) => Properties['ManagedPolicyArns'] ?? []).map(flat)).toEqual([
    'arn:AWS::Partition:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
  ]);
});
