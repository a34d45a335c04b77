import { unknownFieldWarnings } from '../calculations/warnings.ts';
import type { Filing } from '../filings/filing.ts';
import type { Answered } from '../transactions/ports.ts';
import { replyOfAnswer } from './idempotency.ts';
import type { Reply } from './reply.ts';

/**
 * The reply to a request that has changed a filing, or found it as it was asked for, with a warning of unknown fields.
 *
 * A repeated request has the same ones, because its key stands for the same body: it is the same to the byte all the same.
 */
export const changedFilingReply = (answered: Answered, unknownFields: readonly string[]): Reply => {
  const reply = replyOfAnswer(answered);
  if (unknownFields.length === 0) return reply;
  const filing: Filing = JSON.parse(answered.answer.body);
  return { ...reply, body: { ...filing, warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)] } };
};
