import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Levy, orThrow } from '../../shared/client/client.ts';
import { headKey } from '../../shared/store/keys.ts';
import { getAttribute, storedText } from '../support/raw-items.ts';
import type { Emulator } from './emulator.ts';
import { deadLetters } from './events.ts';
import { eventually, holds, same } from './run.ts';
import type { Stack } from './stack.ts';
import { monthBefore } from './stack.ts';

/**
 * Expires a draft now, because the shortest draft lifetime is an hour. This is the only item that the test writes
 * directly.
 */
export const endDraft = async ({ documents }: Emulator, stack: Stack, account: string, id: string): Promise<void> => {
  const item = { TableName: stack.outputs['TransactionsTable'], Key: headKey(account, id) };
  const { Item } = await documents.send(new GetCommand(item));
  const past = new Date(Date.now() - 60_000).toISOString();
  const summary = JSON.parse(storedText(Item?.['summary']));
  const changed = getAttribute(JSON.stringify({ ...summary, expires_at: past }));
  await documents.send(
    new UpdateCommand({
      ...item,
      UpdateExpression: 'SET expires_at = :past, summary = :summary',
      ExpressionAttributeValues: { ':past': past, ':summary': changed },
    }),
  );
};

/** Counts the runs of each function from the shared log group, whose stream names contain the function names. */
const runs = async ({ aws }: Emulator, stack: Stack): Promise<(entry: string) => number> => {
  const logGroupName = stack.getId('FunctionLogs');
  const { events } = await aws('logs', 'filter_log_events', { logGroupName, filterPattern: 'REPORT' });
  const streams: string[] = events.map(({ logStreamName }: { logStreamName: string }) => logStreamName);
  return (entry) => streams.filter((name) => name.includes(`${stack.getId(entry)}[`)).length;
};

/** Waits until a schedule has run its function, which the test never invokes. */
export const hasFired = (emulator: Emulator, stack: Stack, entry: string): Promise<string> =>
  eventually(`the schedule of ${entry} fires`, 400, async () => {
    const count = (await runs(emulator, stack))(entry);
    return count > 0 ? `${count} runs` : null;
  });

/** Checks that the workflow ran every function. */
export const allHaveRun = async (emulator: Emulator, stack: Stack): Promise<string> => {
  const functions = stack.resources.filter(({ ResourceType }) => ResourceType === 'AWS::Lambda::Function');
  const invocations = await runs(emulator, stack);
  const idle = functions.map(({ LogicalResourceId }) => LogicalResourceId).filter((id) => invocations(id) === 0);
  same('the functions that did not run', idle, []);
  return `${functions.length} functions`;
};

/** Waits until the schedule closes the month before last of an account with automatic closing. */
export const closedBySchedule = (levy: Levy): Promise<string> =>
  eventually('the schedule closes the period', 400, async () => {
    const { last } = monthBefore(2);
    const { data } = orThrow(await levy.get('/filings', { query: { state: 'MI' } }));
    return data.some(({ period_end, status }) => period_end === last && status === 'closed') ? last : null;
  });

/**
 * Checks that a failed event reaches the queue: an update with an invalid state fails without a request to a publisher.
 */
export const failedRunIsKept = async (emulator: Emulator, stack: Stack): Promise<string> => {
  const FunctionName = stack.getId('UpdateContentLive');
  const before = (await deadLetters(emulator, stack))['FailedRuns'];
  const Payload = JSON.stringify({ state: 'ZZ' });
  await emulator.aws('lambda', 'invoke', { FunctionName, InvocationType: 'Event', Payload });
  return eventually('the failed run is in the dead-letter queue', 120, async () => {
    const after = (await deadLetters(emulator, stack))['FailedRuns'];
    return after === (before ?? 0) + 1 ? 'one message' : null;
  });
};

/** Checks that the roles of the schedules and the pipe can invoke only their own alias. */
export const invokers = async ({ aws, readError, readCredentials }: Emulator, stack: Stack): Promise<string> => {
  const readRole = async (prefix: string) => {
    const role = stack.resources.find(
      (one) => one.LogicalResourceId.startsWith(prefix) && one.ResourceType === 'AWS::IAM::Role',
    );
    holds(role !== undefined, `there is no role ${prefix}`);
    const { Role } = await aws('iam', 'get_role', { RoleName: role?.PhysicalResourceId });
    return readCredentials(Role.Arn);
  };
  const targets: [string, string][] = [
    ['Schedulescloseperiodsinvoker', 'ClosePeriodsLive'],
    ['Schedulessweepdraftsinvoker', 'SweepDraftsLive'],
    ['Schedulesupdatecontentinvoker', 'UpdateContentLive'],
    ['PipeRole', 'AnnounceChangesLive'],
  ];
  for (const [role, own] of targets) {
    const credentials = await readRole(role);
    for (const [, target] of targets) {
      const input = { FunctionName: stack.getId(target), InvocationType: 'DryRun' };
      const code = await readError('lambda', 'invoke', input, credentials);
      same(`${role} invokes ${target}`, code, target === own ? null : 'AccessDeniedException');
    }
    const unqualified = { FunctionName: stack.getId(own.replace(/Live$/, '')), InvocationType: 'DryRun' };
    same(
      `${role} invokes without the alias`,
      await readError('lambda', 'invoke', unqualified, credentials),
      'AccessDeniedException',
    );
  }
  return `${targets.length} roles`;
};
