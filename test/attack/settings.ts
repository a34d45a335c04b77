/** Random settings of an account. */
import type { Draw } from './draw.ts';
import { type Frequency, firstDay, lastDay, type Registration, type Registrations } from './oracle/days.ts';

export type Settings = {
  readonly time_zone: string;
  readonly registrations: Registrations;
  readonly rounding: 'line' | 'invoice';
  readonly review_days: number;
  readonly draft_ttl_hours: number;
  readonly books_open_from: string;
};

const zones = [
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'Pacific/Honolulu',
  'Asia/Tokyo',
  'Pacific/Kiritimati',
];

/** The states of the attack's sales. */
export const states = ['MI', 'IN', 'NY', 'TX', 'CA', 'WA', 'OR', 'HI', 'AK', 'NJ'];

/** The number of months from the opening of the books to the first month. */
export const monthsOfBooks = 4;

/** One to three registrations of a state, consecutive or with a gap, even mid-month. */
const registrationsOf = (draw: Draw, state: string, month: number): Registration[] => {
  const entries: Registration[] = [];
  let from = month - draw.of([24, 13, 8, 3, 2, 1, 0]);
  for (let left = 1 + draw.below(3); left > 0; left -= 1) {
    const to = left === 1 && draw.chance(70) ? null : from + 1 + draw.below(5);
    const start = draw.chance(70) ? firstDay(from) : `${firstDay(from).slice(0, 7)}-${10 + draw.below(18)}`;
    entries.push({
      ...{ state, from: start, to: to === null ? null : lastDay(to) },
      frequency: draw.of<Frequency>(['month', 'month', 'quarter', 'year']),
    });
    if (to === null) break;
    from = to + 1 + draw.of([0, 0, 1, 3]);
  }
  return entries;
};

/** Settings for a world whose first month is this one. */
export const settingsFrom = (draw: Draw, month: number): Settings => {
  const kind = draw.weighted({ list: 75, all: 15, none: 10 });
  const registered = states.filter(() => draw.chance(60)).flatMap((state) => registrationsOf(draw, state, month));
  return {
    time_zone: draw.of(zones),
    registrations: kind === 'list' ? registered : kind === 'all' ? 'all' : null,
    rounding: draw.of(['line', 'line', 'invoice']),
    review_days: draw.below(6),
    draft_ttl_hours: draw.of([24, 24, 72, 2000]),
    books_open_from: firstDay(month - monthsOfBooks),
  };
};

/** The settings as arguments of `npm run accounts -- create`. */
export const assignmentsOf = ({ registrations, ...settings }: Settings): string[] => [
  'rate_limit=30000',
  ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ...(registrations === null
    ? []
    : [`registrations=${registrations === 'all' ? 'all' : JSON.stringify(registrations)}`]),
];
