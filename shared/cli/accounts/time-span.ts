/** Spans of time as options name them, such as `90d` or `24h`, and the instants at which keys end. */
import { isDay } from '../../calendar.ts';
import { CommandError } from '../content/command-error.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** No key is made for longer by a number that was typed wrong; who wants none to end says `never`. */
const longestMs = 3660 * unitMs.d;

const spanMs = (text: string): number | null => {
  const { count, unit } = /^(?<count>\d{1,6})(?<unit>[mhdw])$/.exec(text)?.groups ?? {};
  return count === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs];
};

// A date without a time is one of these where the operator lives, and another one in UTC.
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** An instant with `Z` or an offset, in milliseconds; `null` where the text is none. */
export const instantMs = (text: string): number | null => {
  if (!instantPattern.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || !isDay(text.slice(0, 10)) ? null : ms;
};

/**
 * When a key ends, as an instant in UTC: after a span of time, at an instant with `Z` or an offset, or `never`, which is
 * `null`. Refused is what has passed already, and what is more than ten years away.
 */
export const expiryOf = (text: string, nowMs: number): string | null => {
  if (text === 'never') return null;
  const span = spanMs(text);
  const endMs = span === null ? instantMs(text) : nowMs + span;
  if (endMs === null)
    throw new CommandError(
      `--expires cannot be "${text}". Send a span of time such as 12h, 90d or 8w, an instant such as 2027-06-30T00:00:00Z, or never.`,
    );
  if (endMs <= nowMs) throw new CommandError(`--expires ${text} has passed already. Send a later time.`);
  if (endMs - nowMs > longestMs)
    throw new CommandError(`--expires ${text} is more than ten years away. Send an earlier time.`);
  return new Date(endMs).toISOString();
};

/** How long a rotated key lives on, in milliseconds: a span of time of at most 90 days, or `0` for none. */
export const overlapMs = (text: string): number => {
  const ms = text === '0' ? 0 : spanMs(text);
  if (ms === null || ms > 90 * unitMs.d)
    throw new CommandError(
      `--overlap cannot be "${text}". Send a span of time of at most 90d, such as 24h, or 0 for none.`,
    );
  return ms;
};
