import { createHash } from 'node:crypto';
import { transactionIndex } from '../../../store/ledger/transaction-index.ts';

const pageSize = 100;

/** Which transactions there are and of which version, as one number however many they are and in whatever order. */
export class Versions {
  #sum = 0n;

  readonly add = ({ id, version }: { readonly id: string; readonly version: number }): void => {
    const hash = createHash('sha256').update(`${id} ${version}`).digest('hex');
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % 2n ** 256n;
  };

  readonly equals = (other: Versions): boolean => this.#sum === other.#sum;
}

/** The same as the lists say, which may be seconds behind. */
export const listedVersions = async (account: string): Promise<Versions> => {
  const versions = new Versions();
  let after: Awaited<ReturnType<typeof transactionIndex.page>>['next'] = null;
  do {
    const query = { index: 'by_account', value: null, from: null, to: null, limit: pageSize, after } as const;
    const page: Awaited<ReturnType<typeof transactionIndex.page>> = await transactionIndex.page(account, query);
    page.rows.forEach(versions.add);
    after = page.next;
  } while (after !== null);
  return versions;
};
