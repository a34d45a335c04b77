import { useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, dataOf, useAction, useLoad } from './load.tsx';
import { apiOf } from './session.ts';

/** What the local service returns from `/_local/sample-month` (infra/local/sample-month.ts). */
type Sample = {
  readonly month: string;
  readonly registrations: NonNullable<Schemas['AccountUpdate']['registrations']>;
  readonly customers: readonly Schemas['CustomerRequest'][];
  readonly transactions: readonly (Schemas['TransactionRequest'] & {
    readonly reference_id: string;
    readonly credit_of?: string;
  })[];
};

/** Reads the sample; `null` in a deployment, which does not have it. */
const readSample = async (signal: AbortSignal): Promise<Sample | null> => {
  const reply = await fetch(`${apiOf(location.href)}/_local/sample-month`, { signal });
  return reply.ok ? await reply.json() : null;
};

/**
 * Records the sample. Skips transactions that exist, so it can be repeated. Concurrent calls record each one once, because
 * they use the same idempotency keys.
 */
const recordSample = async (
  { registrations, customers, transactions }: Sample,
  levy: Levy,
  { signal, onRecorded }: { signal: AbortSignal; onRecorded: (count: number) => void },
): Promise<void> => {
  const { collects_in } = orThrow(await levy.get('/account', { signal }));
  if (collects_in !== 'registered_states') orThrow(await levy.post('/account', { body: { registrations }, signal }));
  for (const body of customers) orThrow(await levy.post('/customers', { body, signal }));
  const ids = new Map<string, string>();
  for (const { credit_of, ...request } of transactions) {
    const { reference_id } = request;
    const found = await dataOf(levy.get('/transactions', { query: { reference_id, limit: 10 }, signal }));
    const parent = credit_of === undefined ? {} : { parent_transaction_id: ids.get(credit_of) ?? null };
    const { id } =
      found.data.find(({ status }) => status !== 'void') ??
      orThrow(
        await levy.post('/transactions', { body: { ...request, ...parent }, idempotencyKey: reference_id, signal }),
      );
    ids.set(reference_id, id);
    onRecorded(ids.size);
  }
};

const Loading = ({ of: sample }: { of: Sample }) => {
  const [count, setCount] = useState(0);
  const action = useAction(
    (levy, _key, signal) => recordSample(sample, levy, { signal, onRecorded: setCount }),
    // The sample changes the account and every view.
    () => location.reload(),
  );
  return (
    <div class="actions">
      <ActionButton action={action} label="Load a sample month" />
      <span role="status">
        {count > 0 && `${count} of ${sample.transactions.length} transactions of ${sample.month} recorded.`}
      </span>
    </div>
  );
};

/** A button that records a month of sales in eight states, in the local service only. */
export const SampleMonth = () => {
  const { value } = useLoad('', (_levy, signal) => readSample(signal));
  return value && <Loading of={value} />;
};
