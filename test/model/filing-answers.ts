import type { Schema } from '../support/http.ts';
import { type Filing, same } from './book.ts';
import { picked } from './create.ts';

type Body = Omit<Schema<'Filing'>, 'entries'> & { readonly entries: object | null };

const names: Readonly<Record<string, string>> = { 'US-MI': 'Michigan', 'US-IN': 'Indiana' };

const sumsOf = ({ gross_amount, exempt_amount, taxable_amount, tax_amount, count }: Body['summary'][number]) => ({
  ...{ gross_amount, exempt_amount, taxable_amount, tax_amount, count },
});

/** Checks that a filing equals the sum of its entries, in each currency. */
export const mustTotal = (body: Body, amounts: Filing['amounts']): void => {
  const of = (rows: Body['summary']) => rows.map((row) => [row.currency, sumsOf(row)]);
  same(of(body.summary), amounts, 'The summary of a filing');
  same(of(body.totals), amounts, 'The totals of a filing');
  const [{ jurisdiction_code, jurisdiction_name } = { jurisdiction_code: body.state, jurisdiction_name: null }] =
    body.totals;
  const name = jurisdiction_name ?? names[body.state];
  same([jurisdiction_code, name], [body.state, names[body.state]], 'Whose totals they are');
};

const frame = (filing: Filing) => ({
  object: 'filing',
  id: filing.id,
  state: filing.state,
  period_start: filing.start,
  period_end: filing.end,
  frequency: filing.frequency,
  confirmation_number: filing.confirmation,
  created_at: filing.createdAt,
  warnings: [],
  entries: null,
});

/** Check that a filing is the requested one, at any progress. */
export const mustBeFrame = (body: Body, filing: Filing): void => {
  const expected = frame(filing);
  same(picked(body, expected), expected, 'A filing');
};

/** Checks that a finished filing equals the model's. */
export const mustBeFiling = (body: Body, filing: Filing): void => {
  mustBeFrame(body, filing);
  const { status, progress, closed_at, filed_at, canceled_at } = body;
  same([status, progress.complete], [filing.status, true], 'How far a filing is');
  same([closed_at, filed_at, canceled_at], [filing.closedAt, filing.filedAt, filing.canceledAt], 'Its instants');
  const count = filing.members.length;
  const { entries_moved, entries_marked, entries_reopened } = progress;
  const done = [count, filing.status === 'filed' ? count : 0, filing.status === 'canceled' ? count : 0];
  same([entries_moved, entries_marked, entries_reopened], done, 'Its entries');
  mustTotal(body, filing.amounts);
};
