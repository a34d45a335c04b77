import type { AnswerFields } from '../calculations/answer-fields.ts';

const names = [
  'object',
  'id',
  'state',
  'period_start',
  'period_end',
  'frequency',
  'status',
  'confirmation_number',
  'totals',
  'summary',
  'progress',
  'asked_by',
  'created_at',
  'closed_at',
  'filed_at',
  'canceled_at',
  'warnings',
  'entries',
] as const;

/** The fields of a filing. A filing sent back as a request has no warnings about them (interface decisions 1). */
export const filingAnswerFields: AnswerFields = Object.fromEntries(names.map((name) => [name, true]));
