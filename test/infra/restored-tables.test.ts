/** protect-restored.sh with a fake AWS CLI, and the commands of the restore page, checked against the template. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { standInAws } from '../support/stand-in-aws.ts';
import { createFolder } from '../support/temporary-files.ts';
import { deployments, type Properties } from './synthesized.ts';

const { at, ofType, template } = deployments.standard;
const names = {
  TABLE_TRANSACTIONS: 'TransactionsTable',
  TABLE_ACCOUNTS: 'AccountsTable',
  TABLE_CONTENT: 'ContentTable',
};
const tables = Object.values(names);
const perTable = (lines: readonly string[], table: string) =>
  lines.filter((line) => line.includes(`--table-name ${table} `)).map((line) => line.replace(/ --output .*/, ''));

describe('protect-restored.sh', () => {
  // An update takes effect unless DEAF is set.
  const aws = standInAws(`
is() { [[ -z "\${DEAF:-}" ]] && grep -q -- "$1 --table-name $4 .*$2" "$LOG" && echo "$3" || echo "$5"; }
case "$2 $*" in
  describe-continuous-backups*) is update-continuous-backups Enabled=true ENABLED "$4" DISABLED ;;
  describe-time-to-live*) is update-time-to-live AttributeName=ttl "ttl ENABLING" "$4" "no DISABLED" ;;
  *DeletionProtection*) is update-table --deletion-protection-enabled True "$4" False ;;
  *StreamViewType*) is update-table NEW_AND_OLD_IMAGES NEW_AND_OLD_IMAGES "$4" None ;;
esac`);
  const { code, out, asked } = aws.run('protect-restored.sh', [], names);

  // According to the AWS documentation, a restore keeps only these properties.
  const restored = ['AttributeDefinitions', 'KeySchema', 'GlobalSecondaryIndexes', 'BillingMode', 'SSESpecification'];
  const listUpdates = ({
    Replicas: [replica],
    StreamSpecification: stream,
    TimeToLiveSpecification: ttl,
  }: Properties) =>
    [
      replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled &&
        'update-continuous-backups … --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true',
      replica.DeletionProtectionEnabled && 'update-table … --deletion-protection-enabled',
      ttl && `update-time-to-live … --time-to-live-specification Enabled=true,AttributeName=${ttl.AttributeName}`,
      stream && `update-table … --stream-specification StreamEnabled=true,StreamViewType=${stream.StreamViewType}`,
    ].filter(Boolean);

  it.each(ofType('AWS::DynamoDB::GlobalTable'))(
    'enables the settings that %s has in the template',
    (table, resource) => {
      const { Properties } = resource;
      expect(tables).toContain(table);
      const known = [...restored, 'Replicas', 'StreamSpecification', 'TimeToLiveSpecification'];
      expect(Object.keys(Properties).filter((name) => !known.includes(name))).toEqual([]);
      const ofReplica = /^(DeletionProtectionEnabled|GlobalSecondaryIndexes|PointInTimeRecoverySpecification|Region)$/;
      expect(Object.keys(Properties['Replicas'][0]).filter((name) => !ofReplica.test(name))).toEqual([]);
      const updates = perTable(asked, table).filter((line) => line.startsWith('dynamodb update-'));
      const expected = listUpdates(Properties).map(
        (update) => `dynamodb ${update.replace('…', `--table-name ${table}`)}`,
      );
      expect(updates).toEqual(expected);
    },
  );

  it('checks each setting and skips the ones already enabled', () => {
    expect(code).toBe(0);
    expect(out.match(/^ok /gm)).toHaveLength(9);
    const on = standInAws(`
case "$2 $*" in
  describe-continuous-backups*) echo ENABLED ;;
  describe-time-to-live*) echo "ttl ENABLED" ;;
  *DeletionProtection*) echo True ;;
  *StreamViewType*) echo NEW_AND_OLD_IMAGES ;;
esac`).run('protect-restored.sh', [], names);
    expect(on.code).toBe(0);
    expect(on.asked.filter((line) => line.includes(' update-'))).toEqual([]);
  });

  it('fails and prints the settings that are not enabled', () => {
    const deaf = aws.run('protect-restored.sh', [], { ...names, DEAF: 'yes' });
    expect(deaf.code).toBe(1);
    expect(deaf.out.match(/^FAILED /gm)).toHaveLength(9);
  });
});

it('requires a region in protect-restored.sh', () => {
  const { code, err, asked } = standInAws('').run('protect-restored.sh', [], { ...names, AWS_REGION: '' });
  expect([code, asked]).toEqual([2, []]);
  expect(err).toMatch(/^Set AWS_REGION/);
});

describe('the restore runbook', () => {
  const guide = readFileSync(new URL('../../infra/docs/runbook-restore.md', import.meta.url), 'utf8');
  const [stop] = /^S=Levy\n.*?(?=^# 2\.)/ms.exec(guide) ?? [];

  it('stops every function except the event publisher, and reports failures', () => {
    const functions = ofType('AWS::Lambda::Function').map(([id]) => id);
    const announcers = functions.filter((id) => id.toLowerCase().includes('announce'));
    const [refused, ...stopped] = functions.filter((id) => !announcers.includes(id));
    const aws = standInAws(`
case "$*" in
  *list-stack-resources*Lambda*) printf '%s\\n' ${functions.map((id) => `$'${id}\\tlevy-${id}'`).join(' ')} ;;
  *"put-function-concurrency --function-name levy-${refused} "*) exit 254 ;;
  *put-function-concurrency*" --reserved-concurrent-executions 0") echo '{}' ;;
esac`);
    expect(announcers).toHaveLength(1);
    const lines = aws
      .shell(stop as string)
      .trim()
      .split('\n');
    expect(lines).toEqual([`STILL RUNS: levy-${refused}`, ...stopped.map((id) => `stopped: levy-${id}`)]);
  });

  it('lets each reader of the old stream read the new one, with the properties that it has in the template', () => {
    const readers = Object.entries(template.Resources).filter(([, { Properties }]) =>
      JSON.stringify(Properties.Source ?? Properties.EventSourceArn)?.includes('StreamArn'),
    );
    expect(readers.map(([id]) => id).sort()).toEqual(['EventPipe', 'ReportsStream']);
    const { FunctionName: _, EventSourceArn: __, ...mapping } = at('ReportsStream');
    const { Source: ___, RoleArn: ____, ...pipe } = at('EventPipe');
    const [RoleArn, FunctionArn] = ['arn:aws:iam::1:role/Levy-Pipe', 'arn:aws:lambda:us-east-1:1:function:count:live'];
    const folder = createFolder();
    const old = { EventSourceArn: 'old', State: 'Enabled', FunctionArn, ...mapping };
    writeFileSync(join(folder, 'mapping'), JSON.stringify(old));
    writeFileSync(join(folder, 'pipe'), JSON.stringify({ Name: 'pipe', Source: 'old', RoleArn, ...pipe }));
    const aws = standInAws(`
case "$*" in
  *list-stack-resources*EventSourceMapping*) printf 'ReportsStream\\tuuid\\n' ;;
  *list-stack-resources*Pipe*) printf 'EventPipe\\tpipe\\n' ;;
  *LatestStreamArn*) echo new ;;
  *get-event-source-mapping*json*) cat mapping ;;
  *describe-pipe*json*) cat pipe ;;
  *get-function-configuration*) echo arn:aws:iam::1:role/Levy-Count ;;
  *put-role-policy*'"Resource":"new"'*) echo "allowed $4" ;;
  *update-event-source-mapping*) echo "$3 $4 $5" ;;
  *create-*) echo "$4" ;;
esac`);
    const [define] = /^S=Levy\n.*^of_type\(\).*?\n/ms.exec(stop as string) ?? [];
    const [, blocks = ''] = /^### The stream\n(.*?)^### /ms.exec(guide) ?? [];
    const commands = [...blocks.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines);
    const [disabled, counter, newMapping, piper, newPipe] = aws
      .shell([`cd '${folder}'`, define, ...commands].join('\n'))
      .trim()
      .split('\n');
    expect([disabled, counter, piper]).toEqual(['--uuid uuid --no-enabled', 'allowed Levy-Count', 'allowed Levy-Pipe']);
    expect(JSON.parse(newMapping as string)).toEqual({ ...mapping, FunctionName: FunctionArn, EventSourceArn: 'new' });
    expect(JSON.parse(newPipe as string)).toEqual({ ...pipe, Name: 'pipe', Source: 'new', RoleArn });
  });
});

it("sets the table names on the operations page from the stack's outputs", () => {
  const page = readFileSync(new URL('../../infra/docs/operations.md', import.meta.url), 'utf8');
  const [line] = /^eval "\$\(aws cloudformation .*$/m.exec(page) ?? [];
  const outputs = Object.keys(template.Outputs).filter((name) => name.endsWith('Table'));
  const aws = standInAws(outputs.map((name) => `printf '%s\\t%s\\n' ${name} Levy-${name}-1`).join('\n'));
  const printed = aws.shell(`${line}\nenv | grep ^TABLE_ | sort`);
  expect(printed.trim().split('\n')).toEqual(
    Object.entries(names)
      .map(([name, table]) => `${name}=Levy-${table}-1`)
      .sort(),
  );
});
