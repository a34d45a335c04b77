import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export type Kind = 'calculation' | 'create';
export type Request = { readonly path: string; readonly body: string };

/** The status of a successful response. */
export const success = { calculation: 200, create: 201 } as const satisfies Record<Kind, number>;

const places = [
  { line1: '124 W Michigan Ave', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' },
  { line1: '300 W 15th St', city: 'Austin', state: 'TX', postal_code: '78701', country: 'US' },
  { line1: '1 Beacon St', city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' },
  { line1: '501 N 3rd St', city: 'Harrisburg', state: 'PA', postal_code: '17120', country: 'US' },
];
const products = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY'];

/** Builds a cart of three lines. The number varies the place and the prices. */
const buildCart = (number: number) => ({
  customer: { id: `cus_${number % 1000}`, address: places[number % places.length] },
  line_items: products.map((product_tax_code, index) => ({
    id: `sku-${index}`,
    product_tax_code,
    quantity: String(1 + ((number + index) % 4)),
    unit_price: ((500 + ((number * 7919 + index * 104_729) % 20_000)) / 100).toFixed(2),
  })),
});

const calculations = Array.from({ length: 200 }, (_, number) => JSON.stringify(buildCart(number)));

/** Builds the n-th request. The carts of calculations repeat; each create has a new reference. */
export const buildRequest = (kind: Kind, number: number): Request => {
  if (kind === 'calculation')
    return { path: '/calculations', body: calculations[number % calculations.length] as string };
  const transaction = { ...buildCart(number), status: 'finalized', reference_id: randomUUID() };
  return { path: '/transactions', body: JSON.stringify(transaction) };
};

/** Requests per second. */
export type Rate = { readonly calculations: number; readonly creates: number };

/** The result of a request: its status or failure, its due time, and its latency from then. */
type Sent = {
  readonly kind: Kind;
  readonly status: string;
  readonly isGood: boolean;
  readonly atMs: number;
  readonly latencyMs: number;
};
export type Sending = { readonly sent: readonly Sent[]; readonly unanswered: number; readonly elapsedMs: number };

/** Returns the kind of the n-th request. Creates are spread evenly among the calculations. */
const getKind = (number: number, { calculations, creates }: Rate): Kind => {
  const createsUpTo = (count: number) => Math.floor((count * creates) / (calculations + creates));
  return createsUpTo(number + 1) > createsUpTo(number) ? 'create' : 'calculation';
};

const connections = 64;
/** The time to wait for responses after a phase. A function has timed out by then. */
const graceMs = 15_000;

/**
 * Sends a request and returns the status or the failure. `dispatch` takes less CPU time than `request`, which creates a
 * stream.
 */
const getStatus = (pool: Pool, request: Request, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve) => {
    let status = 0;
    pool.dispatch(
      { method: 'POST', headers, ...request },
      {
        onRequestStart: () => {},
        onResponseStart: (_, statusCode) => {
          status = statusCode;
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(String(status)),
        onResponseError: (_, error: NodeJS.ErrnoException) => resolve(error.code ?? error.name),
      },
    );
  });

/**
 * Sends requests at a constant rate, and waits for all responses.
 *
 * Latency counts from a request's due time, so it includes the wait for a free connection and the delay of a late
 * generator (no coordinated omission).
 */
export const sendAtRate = async (url: string, apiKey: string, rate: Rate, seconds: number): Promise<Sending> => {
  const pool = new Pool(url, { connections });
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': apiKey };
  const sent: Sent[] = [];
  const perMs = (rate.calculations + rate.creates) / 1000;
  const planned = Math.round(perMs * seconds * 1000);
  const begun = performance.now();
  const send = async (number: number): Promise<void> => {
    const kind = getKind(number, rate);
    const due = begun + number / perMs;
    const status = await getStatus(pool, buildRequest(kind, number), headers);
    const isGood = status === String(success[kind]);
    sent.push({ kind, status, isGood, atMs: due - begun, latencyMs: performance.now() - due });
  };
  const end = begun + seconds * 1000 + graceMs;
  for (let made = 0; sent.length < planned && performance.now() < end; await sleep(1)) {
    const due = Math.min(planned, Math.floor((performance.now() - begun) * perMs));
    for (; made < due; made += 1) void send(made);
  }
  const answered = [...sent];
  const elapsedMs = performance.now() - begun;
  await pool.destroy();
  return { sent: answered, unanswered: planned - answered.length, elapsedMs };
};

const latencies = (sent: readonly Sent[], kind: Kind) => {
  const good = sent.filter((one) => one.kind === kind && one.isGood);
  const sorted = good.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b);
  // Returns a percentile by the nearest-rank method.
  const at = (share: number) => Number((sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(1));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
};

/** Summarizes the counts, rates and latencies of a phase. */
export const getSummary = ({ sent, unanswered, elapsedMs }: Sending) => {
  const perSecond = (count: number) => Math.round((count * 1000) / elapsedMs);
  const statuses = [...Map.groupBy(sent, ({ status }) => status)].map(([status, { length }]) => [status, length]);
  return {
    answered_per_second: perSecond(sent.length),
    served_per_second: perSecond(sent.filter(({ isGood }) => isGood).length),
    statuses: Object.fromEntries(statuses),
    unanswered,
    calculation_ms: latencies(sent, 'calculation'),
    create_ms: latencies(sent, 'create'),
  };
};

/** Returns the due time of the last request that failed, was refused or exceeded this latency; 0 if there is none. */
export const troubledUntilMs = ({ sent }: Sending, slowMs = Number.POSITIVE_INFINITY): number =>
  Math.round(
    sent.reduce(
      (last, { isGood, latencyMs, atMs }) => (isGood && latencyMs <= slowMs ? last : Math.max(last, atMs)),
      0,
    ),
  );
