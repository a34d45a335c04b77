/**
 * Statewide rates that include mandatory local taxes, and the state's own part of them:
 * California 6 + 1.25 %, Nevada 4.6 + 2.25 %, Utah 4.85 + 1.25 %, Virginia 4.3 + 1 % (content notes 3.1).
 */
export const splits: Readonly<Record<string, { readonly whole: string; readonly own: string }>> = {
  CA: { whole: '0.0725', own: '0.06' },
  NV: { whole: '0.0685', own: '0.046' },
  UT: { whole: '0.061', own: '0.0485' },
  VA: { whole: '0.053', own: '0.043' },
};

/** Whether a table's state rate is the release's without the mandatory local taxes. */
export const isSplit = (state: string, inTable: string, inRelease: string): boolean =>
  splits[state]?.own === inTable && splits[state].whole === inRelease;
