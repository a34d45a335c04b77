/** The gates that a release of files must pass before `update` or `import --activate` activates it. */
import type { GateResult, units } from '../../catalog/gate-result.ts';

/** The figures of a new release; shares are between 0 and 1, and points are percentage points of the combined rate. */
export type GateFigures = {
  /** ZIPs and cities that the release names. */
  readonly places: number;
  /** ZIPs and cities that the previous file of this format named and this one does not. */
  readonly unnamed: number;
  /** How many ZIPs and cities the previous file of this format named; 0 without one. */
  readonly placesBefore: number;
  /** ZIPs and cities with local taxes in the active release and none in this one. */
  readonly vanished: number;
  /** ZIPs and cities whose combined rate changes against the active release. */
  readonly changed: number;
  readonly largestChangePoints: number;
  /** The largest change of a combined rate on a day before today, where it was complete. */
  readonly largestPastPoints: number;
  /** The highest combined rate of any place, today or later, in percent. */
  readonly highestPercent: number;
  /** Rates without a first day. */
  readonly undated: number;
  /**
   * ZIPs whose combined rate, today or later, differs from the built-in tables by more than a point, among the ZIPs in
   * both.
   */
  readonly unlikeBuiltIn: number;
  readonly comparedWithBuiltIn: number;
  /** Worked cases of the state that fail, although they do with the active release. */
  readonly failedCases: number;
};

export type GateName = 'vanished' | 'changed' | 'largest' | 'past' | 'cap' | 'undated' | 'built-in' | 'cases';

type Gate = {
  readonly name: GateName;
  readonly describe: string;
  readonly figure: (figures: GateFigures) => number;
  /** The gate passes if the figure is at most this. */
  readonly most: number;
  readonly unit: (typeof units)[number];
};

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

/**
 * The thresholds. A quarter changes the rates of a few places; a wrong column, a truncated file or another state's file
 * changes most. The cap is above every combined rate that the Tax Foundation's tables list for a city (midyear 2026).
 */
export const gates: readonly Gate[] = [
  {
    name: 'vanished',
    describe: 'ZIPs and cities that lose all local taxes, or that the previous file of the format named',
    figure: ({ unnamed, placesBefore, vanished, places }) =>
      Math.max(percent(unnamed, placesBefore), percent(vanished, places)),
    most: 2,
    unit: '%',
  },
  {
    name: 'changed',
    describe: 'ZIPs and cities whose combined rate changes',
    figure: ({ changed, places }) => percent(changed, places),
    most: 25,
    unit: '%',
  },
  {
    name: 'largest',
    describe: 'largest change of a combined rate',
    figure: ({ largestChangePoints }) => largestChangePoints,
    most: 3,
    unit: 'percentage points',
  },
  {
    name: 'past',
    describe: 'largest change of a combined rate on days before today',
    figure: ({ largestPastPoints }) => largestPastPoints,
    most: 3,
    unit: 'percentage points',
  },
  {
    name: 'cap',
    describe: 'highest combined rate',
    figure: ({ highestPercent }) => highestPercent,
    most: 13.5,
    unit: '%',
  },
  { name: 'undated', describe: 'rates without a first day', figure: ({ undated }) => undated, most: 0, unit: '' },
  {
    name: 'built-in',
    describe: 'ZIPs that differ from the built-in rates by more than a percentage point',
    figure: ({ unlikeBuiltIn, comparedWithBuiltIn }) => percent(unlikeBuiltIn, comparedWithBuiltIn),
    most: 20,
    unit: '%',
  },
  { name: 'cases', describe: 'worked cases that fail', figure: ({ failedCases }) => failedCases, most: 0, unit: '' },
];

/** Apply every gate to the figures of a release. */
export const applyGates = (figures: GateFigures): readonly GateResult[] =>
  gates.map(({ figure: measure, ...gate }) => {
    const figure = measure(figures);
    return { ...gate, figure, passed: figure <= gate.most };
  });
