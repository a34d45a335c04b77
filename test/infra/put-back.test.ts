/** The scripts that put restored tables in the place of the stack's own, with a stand-in for the AWS CLI, against the template. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { standInAws } from '../support/stand-in-aws.ts';
import { type Resource, synthesize } from './synthesized.ts';

const { ofType, template } = synthesize();
const names = {
  TABLE_TRANSACTIONS: 'TransactionsTable',
  TABLE_ACCOUNTS: 'AccountsTable',
  TABLE_CONTENT: 'ContentTable',
};
const tables = Object.values(names);
const perTable = (lines: readonly string[], table: string) =>
  lines.filter((line) => line.includes(`--table-name ${table} `)).map((line) => line.replace(/ --output .*/, ''));
const opened: (() => void)[] = [];
afterAll(() => {
  for (const remove of opened) remove();
});
const standIn = (answers: string) => {
  const aws = standInAws(answers);
  opened.push(aws.remove);
  return aws;
};

describe('protect-restored.sh', () => {
  // What was asked for is on from then, unless the test wants otherwise.
  const aws = standIn(`
is() { [[ -z "\${DEAF:-}" ]] && grep -q -- "$1 --table-name $4 .*$2" "$LOG" && echo "$3" || echo "$5"; }
case "$2 $*" in
  describe-continuous-backups*) is update-continuous-backups Enabled=true ENABLED "$4" DISABLED ;;
  describe-time-to-live*) is update-time-to-live AttributeName=ttl "ttl ENABLING" "$4" "no DISABLED" ;;
  *DeletionProtection*) is update-table --deletion-protection-enabled True "$4" False ;;
  *StreamViewType*) is update-table NEW_AND_OLD_IMAGES NEW_AND_OLD_IMAGES "$4" None ;;
esac`);
  const { code, out, asked } = aws.run('protect-restored.sh', [], names);

  // By AWS' documentation, a restore brings these along, and nothing else of what the template says of a table.
  const restored = ['AttributeDefinitions', 'KeySchema', 'GlobalSecondaryIndexes', 'BillingMode', 'SSESpecification'];
  const commandsFor = ({ Replicas: [replica], StreamSpecification, TimeToLiveSpecification }: any, table: string) => [
    ...(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled
      ? [
          `update-continuous-backups --table-name ${table} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
        ]
      : []),
    ...(replica.DeletionProtectionEnabled ? [`update-table --table-name ${table} --deletion-protection-enabled`] : []),
    ...(TimeToLiveSpecification
      ? [
          `update-time-to-live --table-name ${table} --time-to-live-specification Enabled=true,AttributeName=${TimeToLiveSpecification.AttributeName}`,
        ]
      : []),
    ...(StreamSpecification
      ? [
          `update-table --table-name ${table} --stream-specification StreamEnabled=true,StreamViewType=${StreamSpecification.StreamViewType}`,
        ]
      : []),
  ];

  it.each(ofType('AWS::DynamoDB::GlobalTable'))('switches on what the template says of %s', (table, { Properties }) => {
    expect(tables).toContain(table);
    const others = ['Replicas', 'StreamSpecification', 'TimeToLiveSpecification'];
    expect(Object.keys(Properties).filter((name) => ![...restored, ...others].includes(name))).toEqual([]);
    const ofReplica = [
      'DeletionProtectionEnabled',
      'GlobalSecondaryIndexes',
      'PointInTimeRecoverySpecification',
      'Region',
    ];
    expect(Object.keys(Properties['Replicas'][0]).filter((name) => !ofReplica.includes(name))).toEqual([]);
    const updates = perTable(asked, table).filter((line) => line.startsWith('dynamodb update-'));
    expect(updates).toEqual(commandsFor(Properties, table).map((command) => `dynamodb ${command}`));
  });

  it('looks at each, and leaves alone what is on already', () => {
    expect(code).toBe(0);
    expect(out.match(/^ok /gm)).toHaveLength(9);
    const on = standIn(`
case "$2 $*" in
  describe-continuous-backups*) echo ENABLED ;;
  describe-time-to-live*) echo "ttl ENABLED" ;;
  *DeletionProtection*) echo True ;;
  *StreamViewType*) echo NEW_AND_OLD_IMAGES ;;
esac`).run('protect-restored.sh', [], names);
    expect(on.code).toBe(0);
    expect(on.asked.filter((line) => line.includes(' update-'))).toEqual([]);
  });

  it('fails, and says what is off, where AWS did not do what it was asked', () => {
    const deaf = aws.run('protect-restored.sh', [], { ...names, DEAF: 'yes' });
    expect(deaf.code).toBe(1);
    expect(deaf.out.match(/^FAILED /gm)).toHaveLength(9);
  });
});

describe('put-back.sh', () => {
  const suffix = '-drill-20261121120000';
  const answers = `
case "$2 $*" in
  create-backup*) [[ "$4" == "\${UNCOPIED:-}" ]] && exit 1; echo "copy-of-$4" ;;
  describe-backup*) [[ $(grep -c "describe-backup --backup-arn $4 " "$LOG") == 1 ]] && echo CREATING || echo AVAILABLE ;;
  *RestoreSummary*) [[ "$4" == "\${DONE:-}" ]] && echo "arn:aws:dynamodb:us-east-1:1:table/$4${suffix}" || echo None ;;
esac`;
  const aws = standIn(answers);
  const changes = (asked: readonly string[]) =>
    asked
      .map((line) => line.replace(/^dynamodb /, '').replace(/ --output .*/, ''))
      .filter((line) => !line.startsWith('describe-'));
  const replaced = (table: string) => [
    `update-table --table-name ${table} --no-deletion-protection-enabled`,
    `wait table-exists --table-name ${table}`,
    `delete-table --table-name ${table}`,
    `wait table-not-exists --table-name ${table}`,
    `restore-table-from-backup --target-table-name ${table} --backup-arn copy-of-${table}${suffix}`,
  ];
  const copied = tables.map((table) => `create-backup --table-name ${table}${suffix} --backup-name put-back`);
  const awaited = tables.map((table) => `wait table-exists --table-name ${table}`);

  it('copies all three first, waits for the copies, and then replaces each table by its own', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix], names);
    expect(code).toBe(0);
    expect(changes(asked)).toEqual([...copied, ...tables.flatMap(replaced), ...awaited]);
    const firstDeletion = asked.findIndex((line) => line.includes('delete-table'));
    expect(asked.slice(0, firstDeletion).filter((line) => line.includes('describe-backup'))).toHaveLength(6);
  });

  it('goes on where it was broken off', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix], { ...names, DONE: 'TransactionsTable' });
    expect(code).toBe(0);
    expect(changes(asked)).toEqual([...copied, ...tables.slice(1).flatMap(replaced), ...awaited]);
  });

  it('deletes nothing where one of them cannot be copied', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix], { ...names, UNCOPIED: `ContentTable${suffix}` });
    expect([code, changes(asked)]).toEqual([1, copied]);
  });

  it.each([[[]], [['']], [['-drill-']], [['-other-1']], [[suffix, '--now']]])(
    'refuses %j, and asks AWS nothing',
    (args) => {
      const { code, err, asked } = aws.run('put-back.sh', args, names);
      expect([code, asked]).toEqual([2, []]);
      expect(err).toMatch(/^Usage/);
    },
  );

  it('prints its commands with --dry-run, and asks AWS nothing', () => {
    const { code, out, asked } = aws.run('put-back.sh', [suffix, '--dry-run'], names);
    expect([code, asked]).toEqual([0, []]);
    expect(out.match(/^\+ aws dynamodb /gm)).toHaveLength(3 + 3 + 5 * 3 + 3);
  });
});

describe('follow-stream.sh', () => {
  const [[, { Properties }]] = ofType('AWS::Pipes::Pipe') as [[string, Resource]];
  const { SourceParameters, TargetParameters } = Properties;
  const pipe = {
    ...{ Arn: 'arn:pipe', Name: 'Pipe-1', Description: 'Changes', DesiredState: 'RUNNING', CurrentState: 'RUNNING' },
    ...{ Source: 'arn:aws:dynamodb:us-east-1:1:table/T/stream/2025', SourceParameters, TargetParameters },
    ...{ Enrichment: 'arn:function', Target: 'arn:bus', RoleArn: 'arn:aws:iam::1:role/a-path/PipeRole', Tags: {} },
  };
  const stream = 'arn:aws:dynamodb:us-east-1:1:table/T/stream/2026';
  const answers = `
case "$*" in
  *describe-table*) echo "\${STREAM:-${stream}}" ;;
  *describe-pipe*json*) cat <<'EOF'
${JSON.stringify(pipe)}
EOF
  ;;
  *describe-pipe*) if grep -q create-pipe "$LOG"; then echo RUNNING; elif grep -q delete-pipe "$LOG"; then exit 254; else echo RUNNING; fi ;;
esac`;
  const aws = standIn(answers);

  it('makes the same pipe again with the new stream, which its role may read', () => {
    const { code, out, asked } = aws.run('follow-stream.sh', ['Pipe-1'], names);
    expect(code, out).toBe(0);
    const [policy] = asked.flatMap(
      (line) => /put-role-policy --role-name PipeRole .*--policy-document (.*)/.exec(line)?.[1] ?? [],
    );
    const granted = JSON.parse(policy as string).Statement;
    const role = Object.values(template.Resources).flatMap(
      ({ Properties }) => Properties['PolicyDocument']?.Statement ?? [],
    );
    const ofTemplate = role.find(({ Resource }: any) => Resource?.['Fn::GetAtt']?.[1] === 'StreamArn');
    expect(granted).toEqual([{ Effect: 'Allow', Action: ofTemplate.Action, Resource: stream }]);
    const [made] = asked.flatMap((line) => /create-pipe --cli-input-json (\{.*\}) --output/.exec(line)?.[1] ?? []);
    const { Arn: _, DesiredState: __, CurrentState: ___, Tags: ____, ...kept } = pipe;
    expect(JSON.parse(made as string)).toEqual({ ...kept, Source: stream });
    const order = asked.flatMap((line) => /(put-role-policy|delete-pipe|create-pipe)/.exec(line)?.[1] ?? []);
    expect(order).toEqual(['put-role-policy', 'delete-pipe', 'create-pipe']);
  });

  it.each([
    ['a table without a stream', 'None', 1, /run protect-restored\.sh first/],
    ['a pipe that reads it already', pipe.Source, 0, /reads this stream already/],
  ])('changes nothing with %s', (_, source, code, message) => {
    const { code: is, out, err, asked } = aws.run('follow-stream.sh', ['Pipe-1'], { ...names, STREAM: source });
    expect(is).toBe(code);
    expect(out + err).toMatch(message);
    expect(asked.filter((line) => /put-role|delete-pipe|create-pipe/.test(line))).toEqual([]);
  });
});

describe('the README', () => {
  it("names the tables to the commands by the stack's outputs", () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [line] = /^eval "\$\(aws cloudformation .*$/m.exec(readme) ?? [];
    const outputs = Object.keys(template.Outputs).filter((name) => name.endsWith('Table'));
    const aws = standIn(outputs.map((name) => `printf '%s\\t%s\\n' ${name} Levy-${name}-1`).join('\n'));
    const printed = aws.shell(`${line}\nenv | grep ^TABLE_ | sort`);
    expect(printed.trim().split('\n')).toEqual(
      Object.entries(names)
        .map(([name, table]) => `${name}=Levy-${table}-1`)
        .sort(),
    );
  });
});
