import { endpoint } from '../shared/http/endpoint.ts';

/** POST /transactions/{id}/replay: calculate a recorded transaction again, and compare. Stores nothing. */
export const handler = endpoint('replay-transaction', () => import('../shared/operations/replay-transaction.ts'));
