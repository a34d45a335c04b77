/** The local time of an instant, such as `2026-10-31T20:30:00.000-04:00`. A date and a time in UTC stay as they are. */
export const inZone = (text: string, timeZone: string): string => {
  if (text.length === 10 || timeZone === 'UTC') return text;
  const ms = Date.parse(text);
  // Sweden writes local times like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const local = `${format.format(ms).replace(' ', 'T')}.${String(ms % 1000).padStart(3, '0')}`;
  const minutes = (Date.parse(`${local}Z`) - ms) / 60_000;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${local}${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};

/** The milliseconds of a local time, as lists sort it: as if it were UTC. */
export const wallMs = (text: string): number => Date.parse(text.replace(/[+-]\d\d:\d\d$/, 'Z'));
