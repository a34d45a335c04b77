import { defaults } from '../../accounts/account.ts';

export const introduction = `Levy calculates sales tax and keeps a ledger of tax transactions.

- **Calculate.** \`POST /calculations\` returns the tax on an order and stores nothing.
- **Look up.** \`GET /rates\` returns the rates of an address, without an order.
- **Record.** \`POST /transactions\` records a sale or a credit. A finalized transaction creates a tax liability.
- **File.** \`POST /filings\` closes a state's tax period. Late sales and credits count in the next period.
- **Audit.** \`explain: true\` returns each step of a calculation with its rule and citation. \`POST
  /transactions/{id}/replay\` recalculates a recorded transaction. \`GET /coverage\` lists what the tax content covers, and how old it is.
- **Classify.** \`GET /product-tax-codes\` finds the code of a product by its words or by its code of Stripe, TaxJar or
  Avalara, and says how a state taxes it. \`GET /product-attributes\` lists the facts about a product that can change how it is taxed.

## Workflows

1. **Draft invoice.** Create a transaction with \`status: draft\`. Create the invoice with its \`tax_amount\`. Then send
   \`POST /transactions/{id}\` with \`status: finalized\` and the id of the invoice as \`reference_id\`, within ${defaults.draftTtlHours} hours.
2. **Estimate.** Send \`POST /calculations\`. After the sale, send \`POST /transactions\` with all line items, the
   collected tax and \`status: finalized\`.
3. **Full refund.** Send \`POST /transactions\` with \`type: credit\`, \`parent_transaction_id\`, \`status: finalized\` and
   \`tax_date\`, without line items.
4. **Partial refund.** Send the same request with the refunded line items. \`POST /calculations\` with the same body
   returns the tax of the credit in advance.
5. **Return.** \`POST /filings\` with the state, the \`period_end\` and \`dry_run: true\` returns what is owed. Without
   \`dry_run\`, it closes the period. \`GET /filings/{id}\` returns the totals, as CSV with \`Accept: text/csv\`. After you
   have sent the return, send \`POST /filings/{id}\` with \`status: filed\` and the \`confirmation_number\`.

## Conventions

- Amounts, quantities and rates are decimal **strings**. Amounts on a credit are positive.
- Timestamps of responses are ISO 8601 in UTC, but \`tax_date\` is in the account's time zone, whose day is the tax day of an instant. Send
  a date, or an instant with \`Z\` or an offset.
- Responses have every documented field; empty fields are \`null\`. Fields of the request are returned as sent.
- Levy ignores unknown body fields and names them in \`warnings\`. \`Prefer: handling=strict\` rejects them. Unknown query
  parameters are always rejected.
- Every error has the same envelope: \`code\` for programs, \`detail\` with what to send instead, and \`source\` with the
  location. All errors about fields are returned together. Levy checks in this order: path and method, 401, 403, 429,
  the body (415, 413, 400), the version, the fields, 404, 412, 409.
- Send an \`Idempotency-Key\` with every POST that writes, so that a retry never writes twice.
- By default, an account may send ${defaults.rateLimit.toLocaleString('en-US')} requests per 10 s. A 429 response says when to retry.
`;
