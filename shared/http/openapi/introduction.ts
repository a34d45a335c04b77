/** What a reader of the document should know before the operations. */
export const introduction = `Levy calculates sales tax and keeps a ledger of tax transactions.

- **Calculate.** \`POST /calculations\` answers the tax of a document and stores nothing.
- **Look up.** \`GET /rates\` returns the rates of an address, without an order.
- **Record.** \`POST /transactions\` records a sale or a credit. A finalized transaction creates a tax liability.
- **File.** \`POST /filings\` closes a state's tax period. Late sales and credits fall into the next one.
- **Prove.** \`explain: true\` answers each step of a calculation with its rule and citation, \`POST
  /transactions/{id}/replay\` calculates a recorded transaction again, and \`GET /coverage\` says what the content knows.
- **Classify.** \`GET /product-tax-codes\` lists what a product can be, with the codes of Stripe, TaxJar and Avalara that
  stand for it. \`GET /product-attributes\` lists the facts about a product that can change how it is taxed.

## Workflows

1. **Draft invoice.** Create a transaction with \`status: draft\`; make the invoice with its \`tax_amount\`; then
   \`POST /transactions/{id}\` with \`status: finalized\` and the invoice's id as \`reference_id\`, within 24 hours.
2. **Estimate.** \`POST /calculations\`; after the sale, \`POST /transactions\` with all line items, the tax that was
   collected and \`status: finalized\`.
3. **Full refund.** \`POST /transactions\` with \`type: credit\`, \`parent_transaction_id\`, \`status: finalized\` and
   \`tax_date\`, without line items.
4. **Partial refund.** The same with the line items that are refunded. \`POST /calculations\` with the same body says
   beforehand what tax the credit will carry.
5. **Return.** \`POST /filings\` with the state, the \`period_end\` and \`dry_run: true\` says what is owed; without \`dry_run\` it
   closes the period. \`GET /filings/{id}\` has the totals, as CSV with \`Accept: text/csv\`. When the return was sent,
   \`POST /filings/{id}\` with \`status: filed\` and the \`confirmation_number\`.

## Conventions

- Amounts, quantities and rates are decimal **strings**. Amounts on a credit are positive, too.
- Timestamps are ISO 8601 in UTC. A request may send a date instead: who means a local day sends one.
- Every documented key of an answer is there; \`null\` where it is empty. What a request sent comes back as it was sent.
- Unknown body fields are ignored and named in \`warnings\`; \`Prefer: handling=strict\` refuses them. Unknown query
  parameters are always refused.
- Every error has the same envelope. \`code\` is for programs, \`detail\` says what to do, and \`source\` says where. All
  problems of a request's fields come together. What is refused first: path and method, 401, 403, 429, the body (415,
  413, 400), the version, the fields, 404, 412, 409.
- Send an \`Idempotency-Key\` with every writing POST, and a retry never writes twice.
- An account may send so many requests in a window of ten seconds; 429 says when to go on.
`;
