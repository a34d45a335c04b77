import type { GateResult } from '../../catalog/gate-result.ts';
/** The gates of `content update` and `content import --activate`, as the terminal shows them. */
import { type GateName, gates } from '../../importers/updates/gates.ts';
import { CommandError } from '../terminal/errors.ts';
import { print, textTable } from '../terminal/output.ts';

const gateNames: readonly string[] = gates.map(({ name }) => name);

/** The option `--override` of both commands. */
export const overrideOption = ['--override <gates>', `gates that may fail: ${gateNames.join(', ')}`] as const;

/** Read `--override`, a list of gates. Refuses other names. */
export const overriddenBy = (override: string | undefined): ReadonlySet<GateName> => {
  const names = override === undefined ? [] : override.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !gateNames.includes(name));
  if (unknown !== undefined)
    throw new CommandError(`--override cannot be "${unknown}". The gates are ${gateNames.join(', ')}.`);
  return new Set(names as GateName[]);
};

const figureText = ({ figure, unit }: Pick<GateResult, 'figure' | 'unit'>): string =>
  `${Number(figure.toFixed(2))}${unit === 'percentage points' ? ' points' : unit}`;

/** Print the gates as a table, and examples below it. */
export const printGates = (results: readonly GateResult[], examples: readonly string[]): void => {
  print(
    textTable([
      ['gate', 'figure', 'at most', 'result', ''],
      ...results.map((gate) => [
        gate.name,
        figureText(gate),
        figureText({ figure: gate.most, unit: gate.unit }),
        gate.passed ? 'pass' : 'FAIL',
        gate.describe,
      ]),
    ]),
  );
  for (const line of examples) print(line);
};
