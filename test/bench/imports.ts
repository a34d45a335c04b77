/** Run as a program, this module makes one import and prints its measurement. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../shared/cli/terminal/files.ts';
import { buildRelease } from '../../shared/importers/build.ts';
import { importers } from '../../shared/importers/importers.ts';
import { readNameTables } from '../../shared/importers/own-codes.ts';
import { getBase, identity } from '../fixtures/imports/harness.ts';
import { boundaryRow, lines, rateRows } from '../fixtures/imports/sst.ts';
import { type Figure, inNewProcess, rounded } from './figure.ts';

const rows = 1_000_000;
const zips = 1_300;

/** Builds a ZIP+4 range. Every third range has no city, so that a ZIP code has several sets of jurisdictions. */
const rangeRow = (index: number): string => {
  const zip = String(55_301 + (index % zips));
  const [low = '', high = ''] = [0, 9].map((last) => String(Math.floor(index / zips) * 10 + last).padStart(4, '0'));
  const place = index % 3 > 0 && { place: '43000' };
  return boundaryRow({
    type: '4',
    zips: [zip, low, zip, high],
    state: '27',
    county: '053',
    ...place,
    districts: [['80004', '63']],
  });
};

const importRows = async (): Promise<Figure> => {
  const tempFolder = temporaryFolder();
  const [rateFile, boundaryFile] = [join(tempFolder, 'MNR2026Q4AUG28.csv'), join(tempFolder, 'MNB2026Q4AUG28.csv')];
  const local = ['00 053 0.0015', '01 43000 0.0050', '63 80004 0.0050'];
  writeFileSync(rateFile, lines(rateRows('27', '45 27 0.06875 20090701', ...local)));
  for (let index = 0; index < rows; index += 10_000) {
    const ranges = Array.from({ length: 10_000 }, (_, offset) => rangeRow(index + offset));
    writeFileSync(boundaryFile, lines(ranges), { flag: 'a' });
  }
  const base = getBase('MN');
  const start = performance.now();
  const built = await buildRelease({
    ...identity('MN', 'sst'),
    entries: importers.sst.read([rateFile, boundaryFile], { state: 'MN', base, names: readNameTables('MN') }),
    base,
    tempFolder,
  });
  if (built.outcome !== 'built' || built.summary.bad.count > 0) throw new Error(JSON.stringify(built.summary));
  return {
    figure: 'import',
    of: 'sst boundary file',
    rows,
    parts: built.head.counts.parts,
    rows_per_second: rounded((rows * 1000) / (performance.now() - start)),
    peak_megabytes: rounded(process.resourceUsage().maxRSS / 1024),
  };
};

/** Measures the rows per second of an import of a million boundary rows, and the peak memory of its process. */
export const importFigure = (): Figure => inNewProcess('imports.ts', []);

if (import.meta.main) console.log(JSON.stringify(await importRows()));
