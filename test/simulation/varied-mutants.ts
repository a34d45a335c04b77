// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source code.
import type { Patch } from './platform.ts';

/** Seeded bugs of time zones, registrations, currencies and redactions of customers. Only varied schedules can find them. */
export const variedMutants: Readonly<Record<string, readonly Patch[]>> = {
  'tax day of an instant in UTC': [
    {
      find: 'tax_date: inTimeZone(body.tax_date, settings.time_zone)',
      replace: "tax_date: inTimeZone(body.tax_date, 'UTC')",
    },
  ],
  'tax day of a credit without a date in UTC': [
    {
      find: 'tax_date: request.tax_date ?? taxDateAt(now, settings.time_zone),',
      replace: "tax_date: request.tax_date ?? taxDateAt(now, 'UTC'),",
    },
  ],
  'period over by the day in UTC': [
    {
      find: 'end < taxDateAt(nowMs, settings.time_zone).slice(0, 10);',
      replace: "end < taxDateAt(nowMs, settings.time_zone && 'UTC').slice(0, 10);",
    },
  ],
  'period closed at midnight in UTC': [
    {
      find: 'return startOfDay(addDays(end, 1 + review_days), time_zone);',
      replace: "return startOfDay(addDays(end, 1 + review_days), time_zone && 'UTC');",
    },
  ],
  'closing day kept after a change of the time zone': [
    { find: "'review_days', 'time_zone']);", replace: "'review_days']);" },
  ],
  'period goes on after its frequency changed': [
    {
      find: 'while (last < latest && frequencyIn(last + 1, registrations) === frequency) last += 1;',
      replace: 'while (last < latest) last += 1;',
    },
  ],
  'empty months between two registrations closed': [
    {
      find: 'while (isUnregistered(period) && isEmpty(period))',
      replace: 'while (isUnregistered(period) && isEmpty(period) && registrations.length === 0)',
    },
  ],
  'entries between two registrations left to the next period': [
    {
      find: 'while (isUnregistered(period) && isEmpty(period))',
      replace: 'while (isUnregistered(period) && (isEmpty(period) || true))',
    },
  ],
  'period closed by settings that changed meanwhile': [{ find: '    ...settingsChecks(commit),\n', replace: '' }],
  'refund without tax left out of the return of its sale': [
    { find: 'return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;', replace: 'return alone;' },
  ],
  'jurisdictions added up over all currencies': [
    { find: '`${currency} ${jurisdiction_code}`;', replace: '`${currency && "USD"} ${jurisdiction_code}`;' },
  ],
  'exceptions added up over all currencies': [
    { find: '      `${reason} ${currency}`,\n', replace: '      `${reason} USD`,\n' },
  ],
  'summary of a filing in one currency': [
    { find: 'summary: new Map([[currency, whole]]),', replace: "summary: new Map([['USD', whole]])," },
  ],
  'draft credit with the customer of a sale that is being redacted': [
    { find: '  ...unredactedCheck(commit),\n', replace: '' },
  ],
  'selection of a redaction read once': [
    {
      find: 'outcome.left = await countRemaining(account, selection, outcome);\n    if (outcome.left === 0) break;',
      replace: 'if (outcome.left === 0) break;',
    },
  ],
  'customer of a line passed over by a redaction': [
    {
      find: 'line_items.some((line) => line.customer?.id === id || line.applied_exemption?.customer_id === id);',
      replace: 'line_items.some((line) => line.applied_exemption?.customer_id === id);',
    },
  ],
};
