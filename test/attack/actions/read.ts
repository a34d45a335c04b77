/** Reads, and attempts to reach the other account. */

import { Violation } from '../violation.ts';
import { codeOf, mustSucceedOr, type Scene } from './scene.ts';

const paths = [
  '/transactions?limit=100',
  '/transactions?status=draft',
  '/transactions?type=credit&limit=10&expand=line_items',
  '/filings',
  '/filing-periods',
  '/reports/by-state',
  '/registrations/advice',
];

/** Read while others write. */
export const read = async ({ client, book, draw }: Scene): Promise<void> => {
  const sending = { key: book.key, method: 'GET' as const, path: draw.of(paths) };
  mustSucceedOr(await client.send(sending), [], sending);
};

/** Try a transaction of the other account with this one's key: it must not exist. */
export const trespass = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, other, draw, names } = scene;
  const target =
    names.length === 0 ? null : (other.creations.get(`${other.letter}${draw.of(names).slice(1)}`)?.id ?? null);
  const kind = draw.of(['get', 'update', 'history', 'credit'] as const);
  if (target === null) return;
  const path = `/transactions/${target}`;
  const [key, headers] = [book.key, { 'Idempotency-Key': `key of ${name}` }];
  const credit = { type: 'credit', parent_transaction_id: target, status: 'finalized', metadata: { op: name } };
  const answer = await {
    get: () => client.send({ key, method: 'GET', path }),
    history: () => client.send({ key, method: 'GET', path: `${path}/history` }),
    update: () => client.send({ key, method: 'POST', path, body: { status: 'void' }, headers }),
    credit: () => client.send({ key, method: 'POST', path: '/transactions', body: credit, headers }),
  }[kind]();
  const expected = kind === 'credit' ? 'validation_parent_not_found' : 'not_found';
  if (codeOf(answer) !== expected)
    throw new Violation(`${kind} of a transaction of another account: ${answer.status} ${answer.text}`);
};
