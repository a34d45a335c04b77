/** The groups of the endpoints, in the order in which integrators need them, with an introduction in Markdown. */
export const groups = [
  {
    title: 'Calculate tax',
    text: 'Estimate the tax on an order. Levy stores nothing, so call it whenever the cart changes.',
  },
  {
    title: 'Record sales and refunds',
    text: 'Record what you sold and what you refunded. A sale and its refunds are transactions of one kind: a refund is `POST /transactions` with `type: credit`, and its amounts are positive, too.',
  },
  {
    title: 'Finalize, change or void',
    text: 'Finalize or void a transaction, and change the fields that its status allows.',
  },
  {
    title: 'Exempt customers',
    text: 'Store the exemption certificates of your customers. Calculations and transactions that name a customer apply the certificate that is valid on their tax date.',
  },
  {
    title: 'File tax returns',
    text: "Preview and close a state's period, read the tax due, and mark the return as filed.",
  },
  {
    title: 'Read and reconcile the ledger',
    text: 'Retrieve, list, replay and compare recorded transactions.',
  },
  {
    title: 'Report and register',
    text: 'Sales by state and month, and the states whose economic nexus threshold they reach.',
  },
  {
    title: 'Look up codes and coverage',
    text: 'Product tax codes, product attributes, the coverage of each state, and the settings of the account.',
  },
] as const;

export type Group = (typeof groups)[number]['title'];
