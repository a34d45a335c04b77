/** The scripts that put restored tables in the place of the stack's own, with a stand-in for the AWS CLI, against the template. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
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
  const second = '2026-11-21T12:00:00Z';
  const arn = 'arn:aws:dynamodb:us-east-1:1:table/';
  // A copy is CREATING at the first look. Each table's time is printed in another way.
  const answers = `
fail() { echo "An error occurred ($1) when calling it: refused" >&2; exit 254; }
case "$2 $*" in
  create-backup*) [[ "$4" == "\${UNCOPIED:-}" ]] && exit 1; echo "copy-of-$4" ;;
  describe-backup*)
    [[ -n \${UNKNOWN:-} && $4 == *$UNKNOWN ]] && fail InternalServerError
    [[ $(grep -c "describe-backup --backup-arn $4 " "$LOG") == 1 ]] && echo CREATING || echo "\${COPY_IS:-AVAILABLE}" ;;
  list-backups*)
    [[ "$4 $*" == "\${AT_HAND:-} "*"'put-back-20261121120000' && BackupStatus=='AVAILABLE'"* ]] && printf '%s\\n' older-copy another ;;
  *RestoreDateTime*)
    case $4 in
      TransactionsTable*) printf '${arn}%s\\t2026-11-21T12:00:00+00:00\\n' "\${SOURCE:-TransactionsTable}" ;;
      AccountsTable*) printf '${arn}AccountsTable\\t1795262400.0\\n' ;;
      ContentTable*) printf '${arn}ContentTable\\t%s\\n' "\${CONTENT_AT:-2026-11-21T13:00:00+01:00}" ;;
    esac ;;
  *RestoreSummary*)
    [[ "$4" == "\${GONE:-}" ]] && fail ResourceNotFoundException
    [[ "$4" == "\${REFUSED:-}" ]] && fail AccessDeniedException
    [[ "$4" == "\${DONE:-}" ]] && echo "${arn}$4${suffix}" || echo None ;;
esac
exit 0`;
  const aws = standIn(answers);
  const changes = (asked: readonly string[]) =>
    asked
      .map((line) => line.replace(/^dynamodb /, '').replace(/ --output .*/, ''))
      .filter((line) => !/^(describe|list)-/.test(line));
  const restored = (table: string, copy = `copy-of-${table}${suffix}`) =>
    `restore-table-from-backup --target-table-name ${table} --backup-arn ${copy}`;
  const replaced = (table: string) => [
    `update-table --table-name ${table} --no-deletion-protection-enabled`,
    `wait table-exists --table-name ${table}`,
    `delete-table --table-name ${table}`,
    `wait table-not-exists --table-name ${table}`,
    restored(table),
  ];
  const copyOf = (table: string) => `create-backup --table-name ${table} --backup-name put-back-20261121120000`;
  const copied = (table: string) => [copyOf(table), copyOf(`${table}${suffix}`)];
  const awaited = tables.map((table) => `wait table-exists --table-name ${table}`);
  const [transactions, accounts, content] = tables as [string, string, string];

  it('copies what is deleted and what takes its place, waits for all copies, and then replaces each table by its own', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix, second], names);
    expect(code).toBe(0);
    expect(changes(asked)).toEqual([...tables.flatMap(copied), ...tables.flatMap(replaced), ...awaited]);
    const before = asked.slice(
      0,
      asked.findIndex((line) => line.includes('delete-table')),
    );
    for (const table of tables.flatMap((name) => [name, `${name}${suffix}`])) {
      expect(before.filter((line) => line.includes(`describe-backup --backup-arn copy-of-${table} `))).toHaveLength(2);
    }
  });

  it('leaves alone what is in its place, and copies it no more', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix, second], { ...names, DONE: transactions });
    expect(code).toBe(0);
    const others = tables.slice(1);
    expect(changes(asked)).toEqual([...others.flatMap(copied), ...others.flatMap(replaced), ...awaited]);
  });

  it('restores a table that was deleted and not yet restored, and deletes nothing for it', () => {
    const { code, asked } = aws.run('put-back.sh', [suffix, second], { ...names, GONE: content });
    expect(code).toBe(0);
    expect(changes(asked).filter((line) => line.includes(content))).toEqual([
      copyOf(`${content}${suffix}`),
      restored(content),
      `wait table-exists --table-name ${content}`,
    ]);
  });

  it('takes the copy of a restored table that is there, but never an earlier one of a table that it deletes', () => {
    const ofRestored = aws.run('put-back.sh', [suffix, second], { ...names, AT_HAND: `${accounts}${suffix}` });
    expect(ofRestored.code).toBe(0);
    expect(changes(ofRestored.asked)).not.toContain(copyOf(`${accounts}${suffix}`));
    expect(changes(ofRestored.asked)).toContain(restored(accounts, 'older-copy'));
    const ofDeleted = aws.run('put-back.sh', [suffix, second], { ...names, AT_HAND: accounts });
    expect(changes(ofDeleted.asked)).toContain(copyOf(accounts));
  });

  it.each([
    ['a table that was restored from another', { SOURCE: 'Other-TransactionsTable' }, second, 1, /not restored from/],
    ['a table that was not restored', { SOURCE: 'None' }, second, 1, /not restored from/],
    ['tables of two seconds', { CONTENT_AT: '2026-11-21T12:00:01+00:00' }, second, 1, /is as of 2026-11-21T12:00:01Z/],
    ['another second than theirs', {}, '2026-11-21T12:00:01Z', 2, /are as of 2026-11-21T12:00:00Z/],
    ['no second', {}, null, 2, /put-back\.sh -drill-20261121120000 2026-11-21T12:00:00Z\n/],
    ['a table that it may not look at', { REFUSED: transactions }, second, 1, /AccessDenied/],
  ])('copies and deletes nothing with %s', (_, variables, at, code, message) => {
    const ran = aws.run('put-back.sh', at === null ? [suffix] : [suffix, at], { ...names, ...variables });
    expect([ran.code, changes(ran.asked)]).toEqual([code, []]);
    expect(ran.err).toMatch(message);
  });

  it.each([
    ['one of them cannot be copied', { UNCOPIED: `ContentTable${suffix}` }],
    ['the last copy of one cannot be made', { UNCOPIED: 'AccountsTable' }],
    ['a copy is gone', { COPY_IS: 'DELETED' }],
    ['a copy cannot be looked at', { UNKNOWN: 'copy-of-ContentTable' }],
  ])('deletes nothing where %s', (_, variables) => {
    const { code, asked } = aws.run('put-back.sh', [suffix, second], { ...names, ...variables });
    expect(code).not.toBe(0);
    expect(changes(asked).filter((line) => !line.startsWith('create-backup'))).toEqual([]);
  });

  it.each([
    [[]],
    [['']],
    [['-drill-']],
    [['-other-1']],
    [[suffix, '']],
    [[suffix, '--dry-run']],
    [[suffix, second, '--now']],
  ])('refuses %j, and asks AWS nothing', (args) => {
    const { code, err, asked } = aws.run('put-back.sh', args, names);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toMatch(/^Usage/);
  });

  it('prints its commands with --dry-run, and asks AWS nothing', () => {
    const { code, out, asked } = aws.run('put-back.sh', [suffix, second, '--dry-run'], names);
    expect([code, asked]).toEqual([0, []]);
    expect(out.match(/^\+ aws dynamodb /gm)).toHaveLength(3 + 6 + 6 + 5 * 3 + 3);
  });
});

it.each([
  ['put-back.sh', ['-drill-1', '2026-11-21T12:00:00Z']],
  ['protect-restored.sh', []],
  ['follow-stream.sh', ['Pipe-1']],
])('%s wants to know the region', (script, args) => {
  const { code, err, asked } = standIn('').run(script, args, { ...names, AWS_REGION: '' });
  expect([code, asked]).toEqual([2, []]);
  expect(err).toMatch(/^Set AWS_REGION/);
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
  // A new pipe is CREATING at the first look; the test may say in what state it is then, or what fails.
  const answers = `
gone() { echo 'An error occurred (NotFoundException) when calling the DescribePipe operation' >&2; exit 254; }
case "$*" in
  *describe-table*) echo "\${STREAM:-${stream}}"; exit ;;
  *describe-pipe*) ;;
  *) exit ;;
esac
if grep -q create-pipe "$LOG"; then
  [[ -z \${BLIND:-} ]] || { echo 'Unable to locate credentials' >&2; exit 253; }
  state=\${MADE:-RUNNING}
  [[ $(sed '1,/create-pipe/d' "$LOG" | grep -c 'query CurrentState') != 1 ]] || state=CREATING
elif grep -q delete-pipe "$LOG"; then
  gone
else
  state=\${STATE:-RUNNING}
  [[ $state != gone ]] || gone
fi
case "$*" in
  *json*) [[ -z \${MUTE:-} ]] || exit 255; echo '${JSON.stringify(pipe)}' ;;
  *Source*) printf '%s\\t%s\\n' "\${SOURCE:-${pipe.Source}}" "$state" ;;
  *StateReason*) echo 'It may not read the stream' ;;
  *) echo "$state" ;;
esac`;
  const aws = standIn(answers);
  const name = `Pipe-${crypto.randomUUID()}`;
  const kept = new URL(`../../out/follow-stream-${name}.json`, import.meta.url);
  afterEach(() => rmSync(kept, { force: true }));
  const follow = (variables: Readonly<Record<string, string>> = {}) => {
    const ran = aws.run('follow-stream.sh', [name], { ...names, ...variables });
    const order = ran.asked.flatMap((line) => /(put-role-policy|delete-pipe|create-pipe)/.exec(line)?.[1] ?? []);
    return { ...ran, order, keeps: existsSync(kept) && JSON.parse(readFileSync(kept, 'utf8')) };
  };
  const again = ['put-role-policy', 'delete-pipe', 'create-pipe'];

  it('makes the same pipe again with the new stream, which its role may read', () => {
    const { code, out, asked, order, keeps } = follow();
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
    expect([order, keeps]).toEqual([again, false]);
  });

  it.each([
    ['a table without a stream', { STREAM: 'None' }, 1, /run protect-restored\.sh first/],
    ['a pipe that reads it already', { SOURCE: stream }, 0, /reads this stream already/],
    ['a pipe whose definition cannot be read', { MUTE: 'yes' }, 255, /^$/],
    ['a pipe that there is not, and never was', { STATE: 'gone' }, 254, /NotFoundException/],
  ])('changes nothing with %s', (_, variables, code, message) => {
    const ran = follow(variables);
    expect([ran.code, ran.order, ran.keeps]).toEqual([code, [], false]);
    expect(ran.out + ran.err).toMatch(message);
  });

  it.each(['CREATE_FAILED', 'STOPPED', 'START_FAILED'])('makes a pipe again that is %s, whatever it reads', (state) => {
    const { code, order, keeps } = follow({ SOURCE: stream, STATE: state });
    expect([code, order, keeps]).toEqual([0, again, false]);
  });

  it.each([
    ['is CREATE_FAILED', { MADE: 'CREATE_FAILED' }, 1, /CREATE_FAILED.*run this again\.\nIt may not read/s],
    ['is STOPPED', { MADE: 'STOPPED' }, 1, /The pipe is STOPPED/],
    ['cannot be looked at', { BLIND: 'yes' }, 1, /Unable to locate credentials/],
  ])('fails where the new pipe %s, and goes on from the definition that it keeps', (_, variables, code, message) => {
    const failed = follow(variables);
    expect([failed.code, failed.keeps]).toEqual([code, pipe]);
    expect(failed.err).toMatch(message);
    expect(failed.out).not.toMatch(/The pipe reads/);
    const second = follow({ STATE: 'gone', MUTE: 'yes' });
    expect([second.code, second.order, second.keeps]).toEqual([0, ['put-role-policy', 'create-pipe'], false]);
  });

  it('says that a deployment without events has no pipe, and asks AWS nothing', () => {
    const { code, err, asked } = aws.run('follow-stream.sh', [''], names);
    expect([code, err, asked]).toEqual([2, expect.stringMatching(/tells nothing \(events=false\)/), []]);
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../infra/operations/restore-drill.md', import.meta.url), 'utf8');
  const [stop] = /^S=Levy\n.*?(?=^# 2\.)/ms.exec(guide) ?? [];

  it('stops every function but the one that tells on, and says which it could not stop', () => {
    const functions = ofType('AWS::Lambda::Function').map(([id]) => id);
    const announcers = functions.filter((id) => id.toLowerCase().includes('announce'));
    const [refused, ...stopped] = functions.filter((id) => !announcers.includes(id));
    const aws = standIn(`
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

  it('ends with what deletes the copies and the restored tables, and nothing where their suffix is not set', () => {
    const [clean] = /(?<=^# 8\..*\n).*?(?=^```)/ms.exec(guide) ?? [];
    const aws = standIn(`
case "$2 $*" in
  list-backups*"starts_with(BackupName, 'put-back-')"*) echo "copy-of-$4" ;;
  delete-*) echo "$2 $4" ;;
esac`);
    const deleted = (suffix: string) => {
      const variables = Object.entries({ ...names, T: suffix }).map(([name, value]) => `${name}=${value}`);
      return aws
        .shell(`${variables.join('\n')}\n${clean}`)
        .split('\n')
        .slice(0, -1);
    };
    expect(deleted('-drill-1')).toEqual([
      ...tables.flatMap((table) => [`delete-backup copy-of-${table}`, `delete-backup copy-of-${table}-drill-1`]),
      ...tables.map((table) => `delete-table ${table}-drill-1`),
    ]);
    expect(deleted('')).toEqual([]);
  });
});

describe('the operations page', () => {
  it("sets the table names from the stack's outputs", () => {
    const page = readFileSync(new URL('../../infra/docs/operations.md', import.meta.url), 'utf8');
    const [line] = /^eval "\$\(aws cloudformation .*$/m.exec(page) ?? [];
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
