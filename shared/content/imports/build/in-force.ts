import type { Location } from '../../release.ts';
import type { InForce, Summary } from '../summary.ts';

// These sort before and after every day.
const beginningless = '';
const endless = '9999-99-99';

/** Counts the locations of a release that are in force on one day, as they are written. */
export class InForceCount {
  private readonly day: string;
  private readonly establishedFrom: string;
  private locations = 0;
  private first = endless;
  private last = beginningless;

  constructor(day: string, establishedFrom: string) {
    this.day = day;
    this.establishedFrom = establishedFrom;
  }

  add(locations: readonly Location[]): void {
    for (const { from, to } of locations) {
      const [first, last] = [from ?? this.establishedFrom, to ?? endless];
      if (first <= this.day && this.day <= last) this.locations += 1;
      if (first < this.first) this.first = first;
      if (last > this.last) this.last = last;
    }
  }

  /** The last day of any location; `null` if one is open-ended. */
  get lastDay(): string | null {
    return this.last === endless ? null : this.last;
  }

  get counted(): InForce {
    const { day, locations, first: firstDay, lastDay } = this;
    return { day, locations, firstDay, lastDay };
  }
}

const whenText = ({ day, firstDay, lastDay }: InForce): string => {
  if (lastDay !== null && lastDay < day) return `the last row ended on ${lastDay}`;
  return day < firstDay ? `the first row begins on ${firstDay}` : 'some rows have ended, and the others begin later';
};

/** The note for a release of which nothing is in force on the day of its import. */
const noneInForce = (inForce: InForce): string =>
  `Nothing of this is in force on ${inForce.day}: ${whenText(inForce)}. On that day the release below it answers every address.`;

/** The summary of a built release. If nothing of it is in force, the first note says so. */
export const withInForce = (summary: Summary, inForce: InForce): Summary => ({
  ...summary,
  inForce,
  notes: inForce.locations === 0 ? [noneInForce(inForce), ...summary.notes] : summary.notes,
});
