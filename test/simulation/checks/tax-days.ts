import { localDay } from '../../support/local-days.ts';
import type { Observed, Sent } from '../observed.ts';
import type { Audit } from './audit.ts';
import type { Ledger, Reign } from './ledger.ts';

/**
 * The problem of the tax day of a transaction that a request just dated, if any. `sent` is a date or an instant, if
 * any.
 */
const ofDay = ({ head, version }: Reign, sent: string | undefined, timeZone: string): string[] => {
  const { tax_date } = head.transaction;
  const ms = Date.parse(tax_date);
  const isSent = sent === undefined ? ms >= version.invocation.beganMs && ms <= version.nowMs : ms === Date.parse(sent);
  const day = sent?.length === 10 ? sent : localDay(ms, timeZone);
  return isSent && tax_date.startsWith(day)
    ? []
    : [`is dated ${tax_date}, but ${sent ?? 'now'} is ${day} in ${timeZone}`];
};

/** Whether a request decides the day of this state: of a new transaction, or of one that it dates again. */
const isDated = ({ head }: Reign, { request }: Sent, audit: Audit): boolean =>
  head.version === 1 || (request.body?.['tax_date'] !== undefined && audit.fieldsOf(head).includes('tax_date'));

/** Every transaction has the day of its account's time zone at the time of the request, and pinned its registrations. */
export const taxDayViolations = (ledger: Ledger, audit: Audit, { sent }: Observed): string[] => {
  const sentBy = new Map(sent.flatMap((one) => one.attempts.map(({ invocation }) => [invocation, one] as const)));
  return [...ledger.reigns.values()].flat().flatMap((reign) => {
    const { head, version } = reign;
    const request = sentBy.get(version.invocation);
    const { settings } = version.invocation.caller ?? {};
    // The sale of a new credit is excluded.
    const isOwn = request?.request.id === head.id || head.version === 1;
    if (!request || !settings || !isOwn || !isDated(reign, request, audit)) return [];
    const day = request.request.body?.['tax_date'] as string | undefined;
    const wrong = ofDay(reign, day, settings.time_zone);
    return wrong.map((words) => `${head.id} at version ${head.version} ${words}`);
  });
};
