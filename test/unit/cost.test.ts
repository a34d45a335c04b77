import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charge, type PriceName, prices } from '../bench/cost/prices.ts';
import { type CostOptions, getUsage, type Measures, type StepName } from '../bench/cost/usage.ts';
import { type Bill, costProgram, getBill } from '../bench/cost.ts';
import { readOutput } from '../support/run-command.ts';
import { saveFile } from '../support/temporary-files.ts';

/** The amounts of `npm run cost`, compared with manual sums and with independent decimal arithmetic. */

/**
 * Round numbers instead of measured numbers: writes, reads, table, indexes, saved response, response, records, events.
 */
const figures: Readonly<Record<StepName, readonly number[]>> = {
  'create draft': [10, 0, 1000, 2000, 1000, 4000, 1, 1],
  'update draft': [11, 2, 100, 0, 1000, 4100, 0, 0],
  finalize: [12, 3, 200, 0, 1000, 4200, 1, 1],
  'create finalized': [13, 0, 1500, 2000, 1000, 4300, 1, 2],
  credit: [14, 2, 2000, 2000, 1000, 2500, 1, 2],
  expire: [6, 1, 300, 0, 0, 0, 1, 1],
  'file sale': [9, 2, 400, 0, 0, 0, 1, 1],
  'file credit': [8, 1, 500, 0, 0, 0, 1, 1],
};
const getStep = (row: readonly number[]) => {
  const [writes = 0n, reads = 0n, table = 0n, indexes = 0n, saved = 0n, response = 0n, records = 0n, events = 0n] =
    row.map(BigInt);
  return { writes, reads, table, indexes, saved, response, records, events };
};
const measures: Measures = {
  steps: Object.fromEntries(Object.entries(figures).map(([name, row]) => [name, getStep(row)])) as Measures['steps'],
  bytes: { calculation: 3000n, head: 5000n, row: 900n, toFilingRow: 700n },
};
const options: CostOptions = {
  calculations: 1_000_000n,
  transactions: 400_000n,
  lines: 2,
  months: 2,
  memory: 1024,
  credits: '0.25',
  drafts: '0.5',
  finalized: '0.8',
  updates: '0.2',
  gets: '0.5',
  lists: '0.1',
  filings: true,
  events: true,
  backups: true,
  dailyBackups: 2,
  monthlyBackups: 1,
  waf: true,
  ownKey: true,
  fullMetrics: true,
  methodMetrics: true,
  tracing: true,
};
const bill = (changes: Partial<CostOptions> = {}, isFreeTier = false): Bill =>
  getBill(getUsage({ ...options, ...changes }, measures), prices, isFreeTier);

const byPrice = ({ lines }: Bill): Record<string, string> =>
  Object.fromEntries(lines.map(({ price, cents }) => [price, new Decimal(`${cents}`).div(100).toFixed(2)]));

/**
 * The month above by hand. 100,000 credits; of 300,000 sales 150,000 begin as drafts, of which 120,000 are finalized,
 * 30,000 expire and 30,000 are changed as drafts; 270,000 sales and 100,000 credits are filed.
 * Requests: 1,000,000 + 400,000 + (30,000 + 120,000) + 200,000 + 40,000 = 1,790,000.
 * Records: 150,000 + 150,000 + 100,000 + 120,000 + 30,000 + 270,000 + 100,000 = 920,000. Sales and credits that are created as
 * final are two events: 250,000 more, 1,170,000. Runs: 2 x 730 x 12 = 17,520.
 * Counted for reports: 150,000 + 120,000 + 100,000 = 370,000 transactions, and 100,000 records more of credited sales. Runs of four shards
 * each 30 seconds: 350,400.
 */
const byHand: Readonly<Record<PriceName, string>> = {
  gatewayRequest: '6.27', // 1.79 x 3.50 = 6.265
  lambdaRequest: '0.62', // (1,790,000 + 17,520 + 920,000 + 350,400) x 0.20 / 1,000,000 = 0.6156
  // In ms at 1 GB, a hundredth of the requests with 250 ms more: calculations 6 (5.01) -> 6,000,000 + 2,500,000;
  // creations 36 (35.024) -> 14,400,000 + 1,000,000; updates 46 (45.024) -> 6,900,000 + 375,000; gets 11 (10.006)
  // -> 2,200,000 + 500,000; lists 14 -> 560,000 + 100,000; sweeps 8,760 x 100 + 30,000 x 5 = 1,026,000; closing
  // 8,760 x 300 + 370,000 x 5 = 4,478,000; records 9,200,000;
  // counting 350,400 x 40 + 470,000 x 5 = 16,366,000. Together 65,605 s x 0.0000133334 = 0.8747
  lambdaTime: '0.87',
  // 1,500,000 + 330,000 + 1,440,000 + 1,950,000 + 1,400,000 + 180,000 + 2,430,000 + 800,000 = 10,030,000; the rate limit
  // 1,790,000, because requests seconds apart are leased one by one; keys 5 functions x 1,460; counting 4 x 370,000 and
  // 2 x 100,000. 13,507,300 x 0.625 = 8.442
  writeUnit: '8.44',
  // 60,000 + 360,000 + 200,000 + 30,000 + 540,000 + 100,000 = 1,290,000; customers of calculations 1,000,000; gets 200,000 x 2 (5,000 bytes); lists 40,000 x 3
  // (22,500 bytes, halves of 4,096); look-ups 3 x (4 x 43,800 + 40,000) = 645,600; idle runs 9 x 8,760 = 78,840; counting 2 x 370,000 + 350,400.
  // 4,624,840 x 0.125 = 0.5781
  readUnit: '0.58',
  // A month: 150 + 3 + 24 + 225 + 200 + 9 + 108 + 50 = 769 MB, marks 370,000 x 330 = 122.1 MB; two months
  // 1,782.2; records 550 MB x 3 / 30 = 55; others 100: 1,937.2 MB. Indexes 2 x 400,000 x 2,000 = 1,600 MB.
  // 3,537,200,000 / 2^30 = 3.2943 x 0.25 = 0.8236
  tableStorage: '0.82',
  pointInTimeRecovery: '0.36', // 1,937,200,000 / 2^30 = 1.8042 x 0.20 = 0.3608
  backupStorage: '0.54', // (2 x 1,937.2 + 1,782.2 + 100) MB = 5,756,600,000 / 2^30 = 5.3613 x 0.10 = 0.5361
  functionLogBytes: '1.17', // 1,790,000 x 1,400 = 2,506,000,000 / 2^30 = 2.3339 x 0.50 = 1.1669
  accessLogBytes: '0.42', // 1,790,000 x 500 = 895,000,000 / 2^30 = 0.8335 x 0.50 = 0.4168
  logStorage: '0.29', // three months of both: 3 x 3.1674 = 9.5023 x 0.03 = 0.2851
  // Series: 5 for each of 5 methods, 5 of `Duration`, 15 of Levy, 10 by code and 46 by state: 101 x 0.30
  metric: '30.30',
  alarm: '7.60', // 76 x 0.10
  dashboard: '3.00',
  trace: '8.95', // 1,790,000 x 5 / 1,000,000: less than one a second
  pipeRequest: '0.37', // 0.92 x 0.40 = 0.368
  busEvent: '1.17',
  scheduledRun: '0.02', // 17,520 / 1,000,000 = 0.0175
  key: '2.00', // one key for the alarms and one for the customer's data
  keyRequest: '0.30', // 100,000 x 0.03 / 10,000
  mail: '0.00', // 10 x 2 / 100,000
  // 3,000 MB + (600 + 123 + 504 + 645 + 250) + 200,000 x 4,300 + 40,000 x 25 x 700 + 1,790,000 x 700
  // = 7,935,000,000 / 2^30 = 7.3900 x 0.09 = 0.6651
  transferOut: '0.67',
  webAcl: '5.00',
  webAclRule: '4.00',
  webAclRequest: '1.07', // 1.79 x 0.60 = 1.074
};

describe('bills', () => {
  it('calculates the same amounts as a manual calculation', () => {
    expect(byPrice(bill())).toEqual(byHand);
  });

  it('deducts the free tier, down to zero', () => {
    expect(byPrice(bill({}, true))).toEqual({
      ...byHand,
      lambdaRequest: '0.42', // 2,077,920 x 0.20 / 1,000,000 = 0.4156
      lambdaTime: '0.00', // within the free 400,000 GB-seconds
      tableStorage: '0.00', // within the free 25 GB
      functionLogBytes: '0.00', // within the free 5 GB
      metric: '27.30', // without the 10 free metrics
      alarm: '6.60', // without the 10 free alarms
      dashboard: '0.00', // within the 3 free dashboards
      trace: '8.45', // 1,690,000 x 5 / 1,000,000
      scheduledRun: '0.00', // within the 14 million free invocations
      keyRequest: '0.24', // without the 20,000 free requests
      transferOut: '0.00', // within the free 100 GB
    });
  });

  it('adds up services, and the lines of each service', () => {
    const { lines, services, cents } = bill({ calculations: 123_456_789n });
    const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
    expect(sum([...services.values()])).toBe(cents);
    for (const [name, expected] of services)
      expect(sum(lines.filter(({ service }) => service === name).map((line) => line.cents))).toBe(expected);
  });

  it('includes only the essential metrics and no traces by default', () => {
    const { fullMetrics: _, methodMetrics: __, tracing: ___, ...byDefault } = options;
    const plain = byPrice(getBill(getUsage(byDefault, measures), prices, false));
    expect(plain).toEqual({ ...byHand, metric: '3.30', trace: '0.00' }); // (5 + 6) x 0.30
  });

  it('contains only fixed costs without traffic', () => {
    const empty = byPrice(bill({ calculations: 0n, transactions: 0n }));
    expect(empty).toMatchObject({ gatewayRequest: '0.00', writeUnit: '0.00', trace: '0.00', key: '2.00' });
  });
});

describe('charges', () => {
  const price = fc.record({
    counts: fc.bigInt(1n, 2n ** 40n),
    per: fc.constantFrom(1n, 1000n, 1_000_000n),
    ends: fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 }),
    dollars: fc.array(fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 9_999_999 })), {
      minLength: 5,
      maxLength: 5,
    }),
  });

  it('matches exact decimal arithmetic over all tiers', () => {
    const Exact = Decimal.clone({ precision: 200, rounding: Decimal.ROUND_HALF_UP });
    fc.assert(
      fc.property(price, fc.bigInt(0n, 2n ** 64n), ({ counts, per, ends, dollars }, quantity) => {
        const sorted = ends.toSorted((a, b) => a - b);
        const texts = dollars.map(([whole, part]) => `${whole}.${String(part).padStart(7, '0')}`);
        const tiers = [...sorted.map(String), null].map((upTo, at) => ({ upTo, dollars: texts[at] as string }));
        const units = new Exact(`${quantity}`).div(`${counts}`);
        const edges = [0, ...sorted, Number.POSITIVE_INFINITY];
        const expected = tiers.reduce((sum, tier, at) => {
          const within = Exact.min(units, edges[at + 1] as number).minus(edges[at] as number);
          return sum.plus(Exact.max(within, 0).times(tier.dollars));
        }, new Exact(0));
        expect(String(charge({ counts, per, tiers }, quantity))).toBe(expected.div(`${per}`).times(100).toFixed(0));
      }),
    );
  });

  it('rounds half up', () => {
    const half = { counts: 1n, per: 1n, tiers: [{ upTo: null, dollars: '0.005' }] };
    expect([1n, 2n, 3n].map((quantity) => charge(half, quantity))).toEqual([1n, 1n, 2n]);
  });
});

describe('the list prices', () => {
  it('matches published examples', () => {
    const getCharge = (name: PriceName, units: bigint) => charge(prices[name], units * prices[name].counts);
    // infracost, from AWS' price list: 7.5, 11.25 and 18.75 billion GB-seconds of arm64 cost 100,000.50, 135,001.13 and
    // 200,000.63 (each half cent rounded up). 10,240, 40,960 and 5,800 GB of transfer are in different price tiers.
    expect(getCharge('lambdaTime', 37_500_000_000n)).toBe(435_002_25n);
    expect(getCharge('transferOut', 57_000n)).toBe(921_60n + 3_481_60n + 406_00n);
    // AWS: 48,800 traces above the free tier cost 0.24 dollars.
    expect(getCharge('trace', 48_800n)).toBe(24n);
    // The Duckbill Group: 60 TB (of 1,000 GB in round numbers) cost 12,500 dollars instead of 30,000.
    const terabyte = 1024n;
    expect(getCharge('functionLogBytes', 60n * terabyte)).toBe((12_500_00n * terabyte) / 1000n);
    expect(getCharge('accessLogBytes', 60n * terabyte)).toBe((30_000_00n * terabyte) / 1000n);
  });

  it.each(Object.entries(prices))('names an AWS page and enough sources for their basis: %s', (_, price) => {
    const { page, basis, sources, tiers } = price;
    expect(page).toMatch(/^https:\/\/aws\.amazon\.com\/.+\/$/);
    expect(tiers.at(-1)?.upTo).toBeNull();
    const hosts = sources.map((source) => new URL(source).hostname.replace(/^www\./, ''));
    const isOfAws = (host: string | undefined) => /(^|\.)aws\.amazon\.com$/.test(host ?? '');
    const parties = new Set(hosts.filter((host) => !isOfAws(host))).size;
    expect(basis === 'unconfirmed' || (basis === 'aws' ? isOfAws(hosts[0]) : parties >= 2)).toBe(true);
  });
});

type Printed = {
  readonly total: string;
  readonly services: readonly { readonly service: string; readonly dollars: string }[];
  readonly lines: readonly { readonly price: string; readonly used: string; readonly dollars: string }[];
  readonly prices: Readonly<Record<string, { readonly basis: string; readonly sources: readonly string[] }>>;
};

const required = ['--calculations', '1000000', '--transactions', '100000', '--lines', '1'];
const printed = (...args: readonly string[]) => readOutput(costProgram(), args);
const json = async (...args: readonly string[]): Promise<Printed> =>
  JSON.parse(await printed(...required, '--json', ...args));
const readTotal = async (...args: readonly string[]) => Number((await json(...args)).total);

const priceFile = (content: string): string => saveFile('prices.json', content);

describe('npm run cost', () => {
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
    [[...required, '--prices', '/nowhere/prices.json'], '/nowhere/prices.json'],
  ])('rejects %j', async (args, message) => {
    await expect(printed(...args)).rejects.toThrow(message);
  });

  it.each([
    ...['--full-metrics', '--method-metrics', '--tracing', '--waf', '--own-key'].map((option) => [option, 1] as const),
    ...['--daily-backups 100', '--months 24', '--memory 2048'].map((option) => [option, 1] as const),
    ...['--free-tier', '--no-filings', '--no-events', '--no-backups', '--drafts 0'].map(
      (option) => [option, -1] as const,
    ),
  ])('changes the total with %s in the direction %i', async (option, direction) => {
    expect(Math.sign((await readTotal(...option.split(' '))) - (await readTotal()))).toBe(direction);
  });

  it('prints the same total as text and as JSON', async () => {
    const { total } = await json();
    expect((await printed(...required)).replaceAll(',', '')).toMatch(new RegExp(`^total +${total}$`, 'm'));
  });

  // The targets for the default settings, with alarms.
  it.each([
    ['1000000', '1000000', 150],
    ['100000', '10000', 20],
  ])(
    'estimates %s calculations and %s transactions at no more than %d dollars',
    async (calculations, transactions, most) => {
      const args = ['--calculations', calculations, '--transactions', transactions, '--json'];
      const { total, lines }: Printed = JSON.parse(await printed(...args));
      expect(Number(total)).toBeLessThanOrEqual(most);
      expect(Number(lines.find(({ price }) => price === 'alarm')?.used)).toBeGreaterThan(30);
    },
  );

  it('replaces only the prices in the given file', async () => {
    const before = await json();
    const file = priceFile(
      '{"gatewayRequest": "7.00", "transferOut": [{"upTo": "1", "dollars": "1"}, {"upTo": null, "dollars": "0"}]}',
    );
    const after = await json('--prices', file);
    const toDollars = ({ services }: Printed, name: string) =>
      services.find(({ service }) => service === name)?.dollars;
    // Requests, with 19,000 drafts among 95,000 sales: 1,000,000 calculations, 100,000 creations, 9,500 + 13,300 changes,
    // 50,000 gets and 5,000 lists. 1,177,800 x 7 / 1,000,000 = 8.2446.
    expect(toDollars(after, 'API Gateway')).toBe('8.24');
    expect(toDollars(after, 'Data transfer')).toBe('1.00');
    for (const service of ['Lambda', 'DynamoDB', 'CloudWatch'])
      expect(toDollars(after, service)).toBe(toDollars(before, service));
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
  ])('rejects the price file %s', async (content, message) => {
    await expect(json('--prices', priceFile(content))).rejects.toThrow(message);
  });
});
