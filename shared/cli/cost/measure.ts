import type { CalculationInput } from '../../calculations/request.ts';
import { createCalculation } from '../../transactions/create-calculation.ts';
import { requestOf } from '../bench/four-jurisdictions.ts';
import { acceptedOf, paperClerk, type Step } from './paper-clerk.ts';

export const stepNames = [
  'create draft',
  'update draft',
  'finalize',
  'create finalized',
  'credit',
  'expire',
  'file sale',
  'file credit',
] as const;
export type StepName = (typeof stepNames)[number];

/** What is measured of documents with so many lines. */
export type Measures = {
  readonly steps: Readonly<Record<StepName, Step>>;
  /** All that was done, in its order; a draft was made twice. */
  readonly inOrder: readonly Step[];
  readonly calculationBytes: number;
  /** Of the head of a sale that has been filed: what GET reads. */
  readonly headBytes: number;
  /** Of its row in an index, and of the row of a list that is answered. */
  readonly rowBytes: number;
  readonly rowAnswerBytes: number;
};

/** A return of half of one line's first article. */
const returnOf = (parent_transaction_id: string) => ({
  ...({ type: 'credit', status: 'finalized', parent_transaction_id } as const),
  line_items: [{ id: 'sku-1000', quantity: '0.5' }] as CalculationInput['line_items'],
});

/**
 * Do once, on paper, everything that a transaction of so many lines goes through, with a reference, an Idempotency-Key
 * and a customer, and tell what it takes. The very use cases and items of the service, so that it cannot go stale; a
 * test holds the units against the emulator.
 */
export const measure = async (lines: number, account = 'acct_01ARZ3NDEKTSV4RRFFQ69G5FAV'): Promise<Measures> => {
  const clerk = paperClerk(account);
  const document = requestOf(lines, 0);
  const draft = await clerk.create({ ...document, status: 'draft' });
  const updated = await clerk.update(draft.id, { line_items: requestOf(lines, 1).line_items ?? undefined });
  const finalized = await clerk.update(draft.id, { status: 'finalized' });
  const sale = await clerk.create({ ...document, status: 'finalized' });
  const credited = await clerk.create({ ...document, ...returnOf(sale.id) });
  const abandoned = await clerk.create({ ...document, status: 'draft' });
  const steps = {
    'create draft': draft.step,
    'update draft': updated,
    finalize: finalized,
    'create finalized': sale.step,
    credit: credited.step,
    expire: await clerk.expire(abandoned.id),
    'file sale': await clerk.file(sale.id),
    'file credit': await clerk.file(credited.id),
  };
  const sizes = clerk.sizesOf(sale.id);
  const { transaction } = await clerk.known(sale.id);
  return {
    steps,
    inOrder: clerk.inOrder,
    calculationBytes: bytesOf(acceptedOf(await createCalculation(document, [], clerk.caller.account, clerk.ports))),
    headBytes: sizes.head,
    rowBytes: sizes.row,
    rowAnswerBytes: bytesOf({ ...transaction, line_items: null }),
  };
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
