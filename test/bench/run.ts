import { createDemo } from '../../infra/local/demo.ts';
import { temporaryFolder } from '../../shared/cli/terminal/temporary-folder.ts';
import { admissionFigures } from './admission.ts';
import { activateContent, calculationFigures, lookUpFigures } from './calculation.ts';
import { bundleFigures, coldStartFigures, packedFigure } from './cold-start.ts';
import { costMeasures, databaseFigures } from './database-use.ts';
import { filingFigures } from './filings.ts';
import { listFigures } from './lists.ts';
import { localRateFigures } from './local-rates.ts';

const print = (figures: readonly object[]): void => {
  for (const figure of figures) console.log(JSON.stringify(figure));
};

type Only = {
  readonly costs?: true | undefined;
  readonly filingEntries?: number | undefined;
  readonly lists?: true | readonly number[] | undefined;
};

/** Measures and prints everything, or only the results of an option. */
export const runBench = async (emulator: string, { costs, filingEntries, lists }: Only = {}): Promise<void> => {
  if (costs) {
    await activateContent();
    return print([await costMeasures(3), await costMeasures(100)]);
  }
  if (filingEntries !== undefined) return print(await filingFigures(filingEntries));
  if (lists !== undefined) {
    for await (const figure of listFigures(lists === true ? undefined : lists)) print([figure]);
    return;
  }
  print(await calculationFigures());
  print([packedFigure(), ...localRateFigures()]);
  const folder = temporaryFolder();
  print(bundleFigures(folder));
  const apiKey = await createDemo(null);
  print(coldStartFigures(folder, apiKey));
  await activateContent();
  print(await databaseFigures(apiKey, emulator));
  print(await admissionFigures('acct_demo', apiKey));
  print(await lookUpFigures());
  print(await filingFigures());
};
