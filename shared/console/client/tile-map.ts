const map = `
AK .  .  .  .  .  .  .  .  .  ME
.  .  .  .  .  .  .  .  .  VT NH
WA ID MT ND MN IL WI MI NY RI MA
OR NV WY SD IA IN OH PA NJ CT .
CA UT CO NE MO KY WV VA MD DE .
.  AZ NM KS AR TN NC SC DC .  .
.  .  .  OK LA MS AL GA .  .  .
HI .  .  TX .  .  .  .  FL .  PR
.  .  .  .  .  .  .  .  AA AE AP`;

/**
 * The position of each state on the tile grid, as column and row. Military and diplomatic mail codes are at the bottom.
 */
export const tiles: Readonly<Record<string, readonly [column: number, row: number]>> = Object.fromEntries(
  map
    .trim()
    .split('\n')
    .flatMap((line, row) => line.split(/ +/).map((state, column) => [state, [column, row] as const] as const))
    .filter(([state]) => state !== '.'),
);
