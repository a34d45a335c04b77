import { describe, expect, it } from 'vitest';
import { type Allowed, type Grants, allowedTo as granted } from '../../shared/http/grants.ts';
import { schedules } from '../../shared/http/routes.ts';
import { flat, type Resource, synthesize } from './synthesized.ts';

const { ofType, template } = synthesize();
const tableIds = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
const entries: Record<string, Allowed> = { 'method-not-allowed': { grants: {} }, ...granted };
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

const expectedOnTables = ({ grants, indexes = [] }: Allowed): string[] => [
  ...Object.entries(grants).flatMap(([name, actions]) =>
    actions.map((action) => `Allow dynamodb:${action} on ${tableIds[name as keyof Grants]}.Arn`),
  ),
  ...indexes.map((index) => `Allow dynamodb:Query on TransactionsTable.Arn/index/${index}`),
];

it('gives every function of the route table, and no other, a role that nothing else has', () => {
  expect(Object.keys(functions)).toHaveLength(Object.keys(entries).length);
  const roles = Object.keys(entries).map((entry) => flat(functionOf(entry).Properties['Role']));
  expect(new Set(roles).size).toBe(roles.length);
});

describe.each(Object.entries(entries))('%s', (entry, allowed) => {
  const { Role, LoggingConfig, Environment } = functionOf(entry).Properties;
  const roleId = flat(Role).replace(/\.Arn$/, '');
  const role = template.Resources[roleId]?.Properties ?? {};

  it('may do exactly what the route table says, write its own log, and send its traces', () => {
    const logs = `${flat(LoggingConfig.LogGroup)}.Arn`;
    const expected = [
      `Allow logs:CreateLogStream on ${logs}`,
      `Allow logs:PutLogEvents on ${logs}`,
      'Allow xray:PutTraceSegments on *',
      'Allow xray:PutTelemetryRecords on *',
      ...expectedOnTables(allowed),
      ...(entry in schedules
        ? ['SendMessage', 'GetQueueAttributes', 'GetQueueUrl'].map((action) => `Allow sqs:${action} on FailedRuns.Arn`)
        : []),
    ];
    expect(allowedTo(roleId)).toEqual(expected.sort());
    expect([role['ManagedPolicyArns'], role['Policies']]).toEqual([undefined, undefined]);
  });

  it('knows the names of the tables that it may use, and of no others', () => {
    const named = Object.keys(allowed.grants).map((name) => [
      `TABLE_${name.toUpperCase()}`,
      { Ref: tableIds[name as keyof typeof tableIds] },
    ]);
    expect(Environment?.Variables ?? {}).toEqual(Object.fromEntries(named));
  });
});

it('lets nobody update anything of the accounts but the counts of requests and the uses of keys', () => {
  const updates = ofType('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .filter(({ Action, Resource: on }: any) => {
      const actions = listed(Action);
      return actions.includes('dynamodb:UpdateItem') && listed(on).some((at) => flat(at).startsWith('AccountsTable'));
    });
  const callers = Object.values(granted).filter(({ grants }) =>
    (grants.accounts as readonly string[] | undefined)?.includes('UpdateItem'),
  );
  expect(updates.length).toBe(callers.length);
  for (const { Action, Condition } of updates)
    expect({ Action, Condition }).toEqual({
      Action: 'dynamodb:UpdateItem',
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*', 'USE#*'] } },
    });
});

it('lets a calculation only get an item of the ledger, whatever the route table says', () => {
  const ledger = allowedTo(flat(functionOf('create-calculation').Properties['Role']).replace(/\.Arn$/, '')).filter(
    (allowance) => allowance.includes('TransactionsTable'),
  );
  expect(ledger).toEqual(['Allow dynamodb:GetItem on TransactionsTable.Arn']);
});

it('has no wildcard but X-Ray, and no managed policy but the one for the logs of API Gateway', () => {
  const wildcards = ofType('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .flatMap(({ Action, Resource: on }: any) =>
      listed(Action).flatMap((action) => listed(on).map((at) => [action, flat(at)])),
    )
    .filter(([action, at]) => action.includes('*') || at.includes('*'));
  expect(new Set(wildcards.map((pair) => pair.join(' on ')))).toEqual(
    new Set(['xray:PutTraceSegments on *', 'xray:PutTelemetryRecords on *']),
  );
  const roles = ofType('AWS::IAM::Role');
  expect(roles.flatMap(([, { Properties }]) => Properties['Policies'] ?? [])).toEqual([]);
  expect(roles.flatMap(([, { Properties }]) => Properties['ManagedPolicyArns'] ?? []).map(flat)).toEqual([
    'arn:AWS::Partition:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
  ]);
});
