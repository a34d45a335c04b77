/** A step on the way of somebody who integrates: what it is about, and the operations that belong to it. */
export type Group = {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly operations: readonly string[];
};

/** Every operation, in the order in which one learns to use them. A new one must be put somewhere: a test says so. */
export const groups: readonly Group[] = [
  {
    id: 'calculate',
    title: 'Calculate',
    text: 'What the tax is. Nothing is stored, so ask as often as the cart changes.',
    operations: ['createCalculation', 'getRates'],
  },
  {
    id: 'record',
    title: 'Record and credit',
    text: 'What was sold, and what was given back. A sale and its refunds are transactions of one kind: a refund is `POST /transactions` with `type: credit`, and its amounts are positive, too.',
    operations: ['createTransaction'],
  },
  {
    id: 'update',
    title: 'Update',
    text: 'From draft to finalized or void, and the few things that may still change afterwards.',
    operations: ['updateTransaction'],
  },
  {
    id: 'file',
    title: 'File',
    text: "Close a state's period, read what is owed, send the return, and say that it was sent.",
    operations: ['createFiling', 'getFiling', 'updateFiling', 'listFilings'],
  },
  {
    id: 'look',
    title: 'Look',
    text: 'Read, prove and compare what is in the ledger.',
    operations: [
      'getTransaction',
      'listTransactions',
      'getTransactionHistory',
      'replayTransaction',
      'createReconciliation',
    ],
  },
  {
    id: 'know',
    title: 'Know',
    text: 'What can be said of a product, and what the tax content knows of a place.',
    operations: ['listProductTaxCodes', 'listProductAttributes', 'getCoverage', 'getOpenapi', 'getDocs'],
  },
];
