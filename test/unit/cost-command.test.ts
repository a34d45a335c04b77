/** Options, price files and output of `npm run cost`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { explainError } from '../../shared/cli/terminal/run-command.ts';
import { costProgram } from '../bench/cost.ts';

type Printed = {
  readonly total: string;
  readonly services: readonly { readonly service: string; readonly dollars: string }[];
  readonly lines: readonly { readonly price: string; readonly used: string; readonly dollars: string }[];
  readonly prices: Readonly<Record<string, { readonly basis: string; readonly sources: readonly string[] }>>;
};

const required = ['--calculations', '1000000', '--transactions', '100000', '--lines', '1'];

afterEach(() => vi.restoreAllMocks());

const printed = async (options: readonly string[]): Promise<string> => {
  const texts: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(String(text)) > 0);
  const program = costProgram()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  await program.parseAsync([...options], { from: 'user' });
  vi.restoreAllMocks();
  return texts.join('');
};
const json = async (...options: readonly string[]): Promise<Printed> =>
  JSON.parse(await printed([...required, '--json', ...options]));

const priceFile = (content: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-cost-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'prices.json'), content);
  return join(folder, 'prices.json');
};

describe('an option', () => {
  it.each([
    [['--calculations', '1000'], "required option '--transactions <m>' not specified"],
    [[...required, '--calculations', '-1'], 'Pass a whole number from 0'],
    [[...required, '--calculations', '1e6'], 'Pass a whole number from 0'],
    [[...required, '--transactions', '1000000000001'], 'to 1,000,000,000,000'],
    [[...required, '--lines', '0'], 'from 1 to 1,000'],
    [[...required, '--credits', '1.01'], 'Pass a share'],
    [[...required, '--finalized', '.5'], 'Pass a share'],
    [[...required, '--updates', 'often'], 'Pass a decimal'],
    [[...required, '--months', '241'], 'from 1 to 240'],
  ])('is refused: %j', async (options, message) => {
    await expect(printed(options)).rejects.toThrow(message);
  });

  it.each([
    ...[['--full-metrics'], ['--method-metrics'], ['--tracing']],
    ...[['--waf'], ['--own-key'], ['--daily-backups', '100'], ['--months', '24'], ['--memory', '2048']],
  ])('raises the total: %s', async (...option) => {
    expect(Number((await json(...option)).total)).toBeGreaterThan(Number((await json()).total));
  });

  it.each([['--free-tier'], ['--no-filings'], ['--no-events'], ['--drafts', '0'], ['--no-backups']])(
    'lowers the total: %s',
    async (...option) => {
      expect(Number((await json(...option)).total)).toBeLessThan(Number((await json()).total));
    },
  );

  it('removes the backups: --no-backups', async () => {
    expect(await json('--no-backups')).toEqual(await json('--daily-backups', '0', '--monthly-backups', '0'));
  });
});

it('prints the same total as text and as JSON, and the confidence in each price', async () => {
  const { total, lines, prices } = await json();
  const text = await printed(required);
  expect(text.replaceAll(',', '')).toMatch(new RegExp(`^total +${total}$`, 'm'));
  const rowsWith = (words: string) => text.split('\n').filter((line) => line.endsWith(words)).length;
  const countOf = (basis: string) =>
    lines.filter(({ price, used }) => used !== '0' && prices[price]?.basis === basis).length;
  expect(rowsWith('text of an AWS page')).toBe(countOf('aws'));
  expect(rowsWith('two other pages agree')).toBe(countOf('others'));
  expect(rowsWith('not confirmed')).toBe(1);
  expect(lines.filter(({ price }) => !prices[price]?.sources.length)).toEqual([]);
});

// The goals of issue 16, with alarms.
it.each([
  ['1000000', '1000000', 150],
  ['100000', '10000', 20],
])(
  'the default settings: %s calculations and %s transactions cost at most %d dollars',
  async (calculations, transactions, most) => {
    const options = ['--calculations', calculations, '--transactions', transactions, '--json'];
    const { total, lines }: Printed = JSON.parse(await printed(options));
    expect(Number(total)).toBeLessThanOrEqual(most);
    expect(Number(lines.find(({ price }) => price === 'alarm')?.used)).toBeGreaterThan(30);
  },
);

describe('a file of prices', () => {
  it('replaces the prices that it names, and no others', async () => {
    const before = await json();
    const file = priceFile(
      '{"gatewayRequest": "7.00", "transferOut": [{"upTo": "1", "dollars": "1"}, {"upTo": null, "dollars": "0"}]}',
    );
    const after = await json('--prices', file);
    const dollarsOf = ({ services }: Printed, name: string) =>
      services.find(({ service }) => service === name)?.dollars;
    // Of 95,000 sales 19,000 are drafts: 1,000,000 and 100,000 made, 9,500 + 13,300 changed, 50,000 retrieved and 5,000
    // listed. 1,177,800 x 7 / 1,000,000 = 8.2446.
    expect(dollarsOf(after, 'API Gateway')).toBe('8.24');
    expect(dollarsOf(after, 'Data transfer')).toBe('1.00');
    for (const service of ['Lambda', 'DynamoDB', 'CloudWatch'])
      expect(dollarsOf(after, service)).toBe(dollarsOf(before, service));
    expect(after.prices['gatewayRequest']).toMatchObject({ basis: 'given', sources: [file], read: null });
  });

  it.each([
    ['{"gatewayRequests": "7"}', 'gatewayRequests'],
    ['{"toString": "7"}', 'toString'],
    ['{"gatewayRequest": 7}', 'dollars as text'],
    ['{"gatewayRequest": "-7"}', 'dollars as text'],
    ['{"gatewayRequest": []}', 'dollars as text'],
    ['{"gatewayRequest": [{"upTo": "10", "dollars": "1"}]}', 'the last with null'],
    ['{"gatewayRequest": [{"upTo": null, "dollars": "1"}, {"upTo": null, "dollars": "1"}]}', 'the last with null'],
    [
      '{"gatewayRequest": [{"upTo": "10", "dollars": "1"}, {"upTo": "9", "dollars": "1"}, {"upTo": null, "dollars": "1"}]}',
      'each tier must end above',
    ],
    ['{', 'JSON'],
  ])('is refused: %s', async (content, message) => {
    const error = await printed([...required, '--prices', priceFile(content)]).catch((thrown: unknown) => thrown);
    expect(explainError(error)).toContain(message);
  });

  it('is refused if it is missing', async () => {
    const error = await printed([...required, '--prices', '/nowhere/prices.json']).catch((thrown: unknown) => thrown);
    expect(explainError(error)).toContain('/nowhere/prices.json');
  });
});
