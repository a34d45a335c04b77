/** Options, price files and output of `npm run cost`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { costProgram } from '../../shared/cli/cost/program.ts';
import { explainError } from '../../shared/cli/terminal/errors.ts';

const usual = ['--calculations', '1000000', '--transactions', '100000', '--lines', '1'];

afterEach(() => vi.restoreAllMocks());

const printed = async (options: readonly string[]): Promise<string> => {
  const texts: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(String(text)) > 0);
  const program = costProgram().exitOverride();
  program.configureOutput({ writeErr: () => undefined, writeOut: (text) => texts.push(text) });
  await program.parseAsync([...options], { from: 'user' });
  vi.restoreAllMocks();
  return texts.join('');
};
const json = async (...options: readonly string[]) => JSON.parse(await printed([...usual, '--json', ...options]));

const priceFile = (content: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-cost-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'prices.json'), content);
  return join(folder, 'prices.json');
};

const dollarsOf = ({ services }: any, service: string): string =>
  services.find((one: any) => one.service === service).dollars;

describe('options', () => {
  it.each([
    [['--calculations', '1000'], "required option '--transactions <m>' not specified"],
    [['--transactions', '1000'], "required option '--calculations <n>' not specified"],
    [[...usual, '--calculations', '-1'], 'Send a whole number from 0'],
    [[...usual, '--calculations', '1.5'], 'Send a whole number from 0'],
    [[...usual, '--calculations', '1,000'], 'without separators'],
    [[...usual, '--calculations', '1e6'], 'Send a whole number'],
    [[...usual, '--transactions', '1000000000001'], 'to 1,000,000,000,000'],
    [[...usual, '--lines', '0'], 'from 1 to 1,000'],
    [[...usual, '--lines', '1001'], 'from 1 to 1,000'],
    [[...usual, '--credits', '1.01'], 'Send a share'],
    [[...usual, '--drafts', '50%'], 'Send a share'],
    [[...usual, '--finalized', '.5'], 'Send a share'],
    [[...usual, '--gets', '-1'], 'argument missing'],
    [[...usual, '--updates', 'often'], 'Send a decimal'],
    [[...usual, '--months', '0'], 'from 1 to 240'],
    [[...usual, '--region', 'eu-west-1'], "unknown option '--region'"],
    [[...usual, 'more'], 'too many arguments'],
  ])('refuses %j: %s', async (options, because) => {
    const given = options.map((option) => (option === '-1' && options.includes('--gets') ? '' : option));
    await expect(printed(given.filter(Boolean))).rejects.toThrow(because);
  });

  it('are in the help', async () => {
    const help = await printed(['--help']).catch(() => '');
    expect(help === '' ? costProgram().helpInformation() : help).toContain('--calculations <n>');
  });
});

describe('the output', () => {
  it('as JSON adds up and has the sources of every price', async () => {
    const { total, services, lines, prices, currency } = await json();
    const cents = (dollars: string) => BigInt(dollars.replace('.', ''));
    const sum = (ones: readonly { dollars: string }[]) => ones.reduce((all, { dollars }) => all + cents(dollars), 0n);
    expect(currency).toBe('USD');
    expect(sum(lines)).toBe(cents(total));
    expect(sum(services)).toBe(cents(total));
    expect(services.map(({ service }: any) => service)).toEqual([
      'API Gateway',
      'Lambda',
      'DynamoDB',
      'CloudWatch',
      'X-Ray',
      'EventBridge',
      'KMS',
      'SNS',
      'Data transfer',
      'WAF',
    ]);
    for (const { price, used } of lines) {
      expect(used).toMatch(/^\d+(\.\d{3})?$/);
      expect(prices[price]).toMatchObject({
        page: expect.stringContaining('https://'),
        basis: expect.any(String),
        sources: expect.arrayContaining([expect.stringContaining('https://')]),
        read: '2026-11-21',
      });
    }
  });

  it('as text has the same total and the confidence of every price', async () => {
    const { total, lines, prices } = await json();
    const text = await printed(usual);
    expect(text.replaceAll(',', '')).toMatch(new RegExp(`^total +${total}$`, 'm'));
    const namedAfter = (words: string) =>
      (new RegExp(`^  ${words}: (.+)\\.$`, 'm').exec(text)?.[1] ?? '').split(', ').sort();
    const counted = [...new Set(lines.filter(({ used }: any) => used !== '0').map(({ price }: any) => price))].sort();
    const of = (basis: string) => counted.filter((name: any) => prices[name].basis === basis);
    expect(namedAfter('In the text of AWS pages')).toEqual(of('aws'));
    expect(namedAfter('Shown by AWS by script only; two other pages agree')).toEqual(of('others'));
    expect(namedAfter('Not confirmed')).toEqual(['scheduledRun']);
    expect(text).toContain('read on 2026-11-21');
    expect(text).not.toContain('Given by');
  });

  it('costs more or less with each option', async () => {
    const base = Number((await json()).total);
    for (const more of [['--waf'], ['--own-key'], ['--daily-backups', '100'], ['--months', '24'], ['--memory', '2048']])
      expect([more, Number((await json(...more)).total) > base]).toEqual([more, true]);
    for (const less of [
      ['--free-tier'],
      ['--no-filings'],
      ['--no-events'],
      ['--drafts', '0'],
      ['--daily-backups', '0'],
      ['--no-backups'],
    ])
      expect([less, Number((await json(...less)).total) < base]).toEqual([less, true]);
  });
});

it('has no backups with --no-backups', async () => {
  expect(await json('--no-backups')).toEqual(await json('--daily-backups', '0', '--monthly-backups', '0'));
});

describe('a file of prices', () => {
  it('replaces the prices that it names, and no others', async () => {
    const before = await json();
    const file = priceFile(
      '{"gatewayRequest": "7.00", "transferOut": [{"upTo": "1", "dollars": "1"}, {"upTo": null, "dollars": "0"}]}',
    );
    const after = await json('--prices', file);
    // Of 95,000 sales 19,000 are drafts: 1,000,000 and 100,000 made, 9,500 + 13,300 changed, 50,000 retrieved and 5,000
    // listed. 1,177,800 x 7 / 1,000,000 = 8.2446.
    expect(dollarsOf(after, 'API Gateway')).toBe('8.24');
    expect(dollarsOf(after, 'Data transfer')).toBe('1.00');
    for (const service of ['Lambda', 'DynamoDB', 'CloudWatch'])
      expect(dollarsOf(after, service)).toBe(dollarsOf(before, service));
    expect(after.prices.gatewayRequest).toMatchObject({ basis: 'given', sources: [file], read: null });
    expect(await printed([...usual, '--prices', file])).toMatch(
      /^ {2}Given by --prices: gatewayRequest, transferOut\.$/m,
    );
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
    ['[]', 'the file'],
    ['{', 'JSON'],
  ])('refuses %s: %s', async (content, because) => {
    const error = await printed([...usual, '--prices', priceFile(content)]).catch((thrown: unknown) => thrown);
    expect(explainError(error)).toContain(because);
  });

  it('refuses a missing file by its path', async () => {
    const error = await printed([...usual, '--prices', '/nowhere/prices.json']).catch((thrown: unknown) => thrown);
    expect(explainError(error)).toContain('/nowhere/prices.json');
  });
});
