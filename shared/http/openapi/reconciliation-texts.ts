export const reconciliationTexts: Readonly<Record<string, string>> = {
  'BilledTransactionRequest.reference_id': 'The invoice or credit memo, as the ledger knows it.',
  'BilledTransactionRequest.tax_amount': 'Its tax. Of a credit positive, too.',
  'BilledTransactionRequest.total_amount': 'What it comes to, with tax. Of a credit positive, too.',
  complete:
    'Whether the range was looked through to its end. If not, send the same request with `next_cursor` as `starting_after` for more of `extra`.',
  'DifferentTransaction.difference': 'Recorded less sent: negative where the ledger has less.',
  'DifferentTransaction.recorded': 'What the ledger has.',
  'DifferentTransaction.sent': 'What the billing system has, as it was sent.',
  'DifferentTransaction.status': 'finalized or filed.',
  different: 'Those that the ledger has with another total or another tax, in the order that they were sent.',
  extra:
    'Finalized and filed transactions with a tax date in the range that are not on the list, newest tax date first: at most 1,000 in an answer. Read from an index that may be seconds behind. `null` without a range.',
  'ExtraTransaction.reference_id': '`null` where it was recorded without one.',
  'ExtraTransaction.status': 'finalized or filed.',
  'ExtraTransaction.transaction_id': 'The identifier of the transaction. Opaque.',
  matched_count: 'How many are in the ledger, finalized or filed, with these very amounts.',
  missing: 'Those that no finalized or filed transaction has, in the order that they were sent.',
  'MissingTransaction.reason':
    '`not_found`: no transaction has the reference_id. `draft`: one has it that is not finalized. `void`: one had it that was voided, or a draft that has expired.',
  'MissingTransaction.transaction_id': 'The draft, or the one that was voided last. `null` where there is none.',
  'Reconciliation.from': 'As it was sent. `null` without a range.',
  'Reconciliation.next_cursor': 'Send it as `starting_after` to go on. Opaque. `null` where the answer is complete.',
  'Reconciliation.to': 'As it was sent. `null` without a range.',
  'ReconciliationRequest.from':
    'The first tax date of the range in which the ledger is searched for what is not on the list. A date means the whole day. With `to`, or not at all.',
  'ReconciliationRequest.starting_after': 'The `next_cursor` of the answer before, with the same `from` and `to`.',
  'ReconciliationRequest.to': 'The last tax date of the range. A date means the whole day.',
  'ReconciliationRequest.transactions': 'What the billing system has: 1 to 1,000, each reference_id once.',
  transaction_id: 'The identifier of the transaction. Opaque.',
  'ReconciledAmounts.total_amount': 'With tax.',
  'ReconciledAmounts.tax_amount': 'The tax.',
};

export const reconciliationComponentTexts: Readonly<Record<string, string>> = {
  BilledTransactionRequest: 'An invoice or credit memo of the billing system.',
  DifferentTransaction: 'A transaction whose amounts differ from those of the billing system.',
  ExtraTransaction: 'A transaction that is not on the list.',
  MissingTransaction: 'An invoice or credit memo that the ledger does not count.',
  ReconciledAmounts: 'A total and the tax in it.',
  Reconciliation: 'How a list of the billing system compares with the ledger. Nothing is stored.',
  ReconciliationRequest: 'The list, and the range of tax dates that it should cover.',
};
