import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { dataOf, Fetch } from './load.tsx';
import { Panel, Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { SampleMonth } from './sample-month.tsx';
import { apiOf, useSession } from './session.ts';

type Progress = { readonly account: Schemas['Account']; readonly hasTransactions: boolean };

/** Returns what the account has so far; `null` if it has a finalized or filed transaction. */
const readProgress = async (levy: Levy, signal: AbortSignal): Promise<Progress | null> => {
  const newest = async (query: { status?: 'finalized' | 'filed' }) =>
    (await dataOf(levy.get('/transactions', { query: { ...query, limit: 1 }, signal }))).data[0];
  const first = await newest({});
  const isRecorded = (row: typeof first) => row?.status === 'finalized' || row?.status === 'filed';
  // A newer draft or void transaction can precede the recorded ones.
  if (isRecorded(first) || (first && ((await newest({ status: 'finalized' })) ?? (await newest({ status: 'filed' })))))
    return null;
  return { account: orThrow(await levy.get('/account', { signal })), hasTransactions: first !== undefined };
};

type Step = {
  readonly title: string;
  readonly isDone: boolean;
  /** What the account has, or what is missing without it. */
  readonly text: string;
  readonly link: readonly [text: string, address: string];
};

const stepsOf = ({ account, hasTransactions }: Progress): readonly Step[] => {
  const docs = `${apiOf(location.href)}/docs`;
  const settings = ['Settings', linkTo(['settings'])] as const;
  const { collects_in, registrations, ship_from, return_identity, api_keys = [] } = account;
  return [
    {
      title: 'Registrations',
      isDone: collects_in === 'registered_states',
      text:
        collects_in === 'registered_states'
          ? registrations.map(({ state }) => state.replace(/^US-/, '')).join(', ')
          : 'Levy calculates tax in every state, and there is no calendar of returns.',
      link: settings,
    },
    {
      title: 'Ship-from address',
      isDone: ship_from !== null,
      text: ship_from
        ? [ship_from.city, ship_from.state, ship_from.postal_code].filter(Boolean).join(', ')
        : 'Without it, a sale that names no origin counts as shipped from outside the state.',
      link: settings,
    },
    {
      title: 'API key for your shop',
      isDone: api_keys.length > 0,
      text: api_keys.length > 0 ? api_keys.map(({ id, label }) => label ?? id).join(', ') : 'An operator creates it.',
      link: ['Authentication', `${docs}#authentication`],
    },
    {
      title: 'First calculation',
      isDone: hasTransactions,
      text: hasTransactions
        ? 'A draft or sale was calculated.'
        : 'Known from the first draft: calculations are not stored.',
      link: ['Getting started', `${docs}#getting-started`],
    },
    // A credential without the scope settings does not see the identity.
    ...(return_identity === undefined
      ? []
      : [
          {
            title: 'Identity on returns',
            isDone: return_identity !== null,
            text: return_identity?.legal_name ?? 'Electronic returns need the name and the numbers of the business.',
            link: settings,
          },
        ]),
    {
      title: 'First finalized transaction',
      isDone: false,
      text: 'Only finalized transactions count in returns.',
      link: ['Draft, then finalize', `${docs}#draft-invoice`],
    },
  ];
};

/** What is left to set up in an account without finalized transactions. */
export const GettingStarted = () => {
  const { account, canWrite } = useSession();
  return (
    <Fetch what="the progress" read={readProgress}>
      {(progress) =>
        progress && (
          <Panel title="Getting started">
            <ol class="checklist">
              {stepsOf(progress).map(({ title, isDone, text, link: [name, address] }) => (
                <li key={title}>
                  <Status of={isDone ? 'done' : 'open'} tone={isDone ? 'good' : 'warn'} /> <strong>{title}</strong>{' '}
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
