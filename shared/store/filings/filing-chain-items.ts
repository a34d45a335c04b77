import { chainKey, type ItemKey } from '../keys.ts';
import { query, startAfter } from './filing-query.ts';

/** The stored items of a state's periods: the chain, if there is one, and the filing of each period by its last day. */
export type ChainItems = {
  readonly chain: unknown;
  readonly periods: readonly { readonly period_end: string; readonly filing: unknown }[];
};

/** Read the items of a state's periods, strongly consistent: a few hundred in a decade. */
export const chainItems = async (account: string, state: string): Promise<ChainItems> => {
  const { pk, sk: chainSk } = chainKey(account, state);
  const items: Record<string, unknown>[] = [];
  let after: ItemKey | null = null;
  do {
    const page: Awaited<ReturnType<typeof query>> = await query({
      KeyConditionExpression: 'pk = :state',
      ExpressionAttributeValues: { ':state': pk },
      ...startAfter(after),
    });
    items.push(...page.items);
    after = page.last ? { pk, sk: String(page.last['sk']) } : null;
  } while (after !== null);
  return {
    chain: items.find(({ sk }) => sk === chainSk),
    periods: items.flatMap(({ sk, filing }) => (sk === chainSk ? [] : [{ period_end: String(sk), filing }])),
  };
};
