import { useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, useAction } from './actions.tsx';
import { getStateLetters } from './format.ts';
import { Fetch, readData, useLoad } from './load.tsx';
import { Panel, Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { getApi, useSession } from './session.ts';

type Progress = { readonly account: Schemas['Account']; readonly hasTransactions: boolean };

/** Returns the current setup of the account; `null` if it has a finalized or filed transaction. */
const readProgress = async (levy: Levy, signal: AbortSignal): Promise<Progress | null> => {
  const newest = async (query: { status?: 'finalized' | 'filed' }) =>
    (await readData(levy.get('/transactions', { query: { ...query, limit: 1 }, signal }))).data[0];
  const first = await newest({});
  const isRecorded = (row: typeof first) => row?.status === 'finalized' || row?.status === 'filed';
  // A newer draft or void transaction can precede the recorded ones.
  if (isRecorded(first) || (first && ((await newest({ status: 'finalized' })) ?? (await newest({ status: 'filed' })))))
    return null;
  return { account: orThrow(await levy.get('/account', { signal })), hasTransactions: first !== undefined };
};

/** A setup step, with the account's current value or what is missing. */
type Step = readonly [title: string, isDone: boolean, text: string, link: readonly [text: string, address: string]];

const listSteps = ({ account, hasTransactions }: Progress): readonly Step[] => {
  const inDocs = (text: string, anchor: string) => [text, `${getApi(location.href)}/docs#${anchor}`] as const;
  const settings = ['Settings', linkTo(['settings'])] as const;
  const { collects_in, registrations, ship_from, return_identity, api_keys = [] } = account;
  const isRegistered = collects_in === 'registered_states';
  const states = registrations.map(({ state }) => getStateLetters(state)).join(', ');
  const origin = [ship_from?.city, ship_from?.state, ship_from?.postal_code].filter(Boolean).join(', ');
  const keys = api_keys.map(({ id, label }) => label ?? id).join(', ');
  const noCalendar = 'Levy calculates tax in every state, and there is no calendar of returns.';
  const noOrigin = 'Without it, a sale without an origin counts as shipped from outside the state.';
  const noKey = 'An operator creates it.';
  const calculated = 'A draft or sale was calculated.';
  const noDraft = 'Shown after the first draft, because calculations are not stored.';
  const noIdentity = 'Electronic returns need the name of the business, and its taxpayer and account numbers.';
  const onlyFinalized = 'Only finalized transactions count in returns.';
  const steps: readonly (Step | false)[] = [
    ['Registrations', isRegistered, isRegistered ? states : noCalendar, settings],
    ['Ship-from address', ship_from !== null, ship_from ? origin : noOrigin, settings],
    ['API key for your shop', keys !== '', keys || noKey, inDocs('Authentication', 'authentication')],
    [
      'First calculation',
      hasTransactions,
      hasTransactions ? calculated : noDraft,
      inDocs('Getting started', 'getting-started'),
    ],
    // A credential without the scope settings does not see the identity.
    return_identity !== undefined && [
      'Identity on returns',
      return_identity !== null,
      return_identity?.legal_name ?? noIdentity,
      settings,
    ],
    ['First finalized transaction', false, onlyFinalized, inDocs('Draft, then finalize', 'draft-invoice')],
  ];
  return steps.filter((step) => step !== false);
};

/** The response of the local service to `/_local/sample-month`. */
type Sample = {
  readonly month: string;
  readonly registrations: NonNullable<Schemas['AccountUpdate']['registrations']>;
  readonly customers: readonly Schemas['CustomerRequest'][];
  readonly transactions: readonly (Schemas['TransactionRequest'] & {
    readonly reference_id: string;
    readonly credit_of?: string;
  })[];
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
    const found = await readData(levy.get('/transactions', { query: { reference_id, limit: 10 }, signal }));
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

const Loading = ({ sample }: { sample: Sample }) => {
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
const SampleMonth = () => {
  const { value } = useLoad('', async (_levy, signal): Promise<Sample | null> => {
    const response = await fetch(`${getApi(location.href)}/_local/sample-month`, { signal });
    // A deployment does not have it.
    return response.ok ? await response.json() : null;
  });
  return value && <Loading sample={value} />;
};

/** The remaining setup steps of an account without finalized transactions. */
export const GettingStarted = () => {
  const { account, canWrite } = useSession();
  return (
    <Fetch what="the progress" read={readProgress}>
      {(progress) =>
        progress && (
          <Panel title="Getting started">
            <ol class="plain">
              {listSteps(progress).map(([title, isDone, text, [name, address]]) => (
                <li key={title}>
                  <Status value={isDone ? 'done' : 'open'} tone={isDone ? 'good' : 'warn'} /> <strong>{title}</strong>{' '}
                  {text} <a href={address}>{name}</a>
                </li>
              ))}
            </ol>
            {/* The sample needs registrations. */}
            {canWrite && (account.collects_in === 'registered_states' || account.scopes.includes('settings')) && (
              <SampleMonth />
            )}
          </Panel>
        )
      }
    </Fetch>
  );
};
