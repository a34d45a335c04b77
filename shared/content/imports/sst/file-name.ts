import { calendarDay } from '../days.ts';

/** What the name of an SST file says of it: `MNR2026Q2FEB18.zip`, `WYB2026Q3MAY8.CSV`. */
export type SstFileName = {
  readonly state: string;
  readonly kind: 'rates' | 'boundary';
  /** The first day of the quarter in which the file takes effect. */
  readonly effective: string;
};

/** Read the name of an SST file; `null` of another name. The day of posting has one digit or two. */
export const readSstFileName = (name: string): SstFileName | null => {
  const parts = /^(?<state>[A-Z]{2})(?<kind>[RB])(?<year>\d{4})Q(?<quarter>[1-4])[A-Z]{3}\d{1,2}\b/i.exec(name)?.groups;
  if (!parts) return null;
  const month = String(Number(parts['quarter']) * 3 - 2).padStart(2, '0');
  const effective = calendarDay(`${parts['year']}-${month}-01`);
  if (effective === null) return null;
  const kind = parts['kind']?.toUpperCase() === 'R' ? 'rates' : 'boundary';
  return { state: (parts['state'] ?? '').toUpperCase(), kind, effective };
};
