/** Run by itself, this module does one import and prints its figure. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { temporaryFolder } from '../../shared/cli/terminal/temporary-folder.ts';
import { buildRelease } from '../../shared/importers/build.ts';
import { importers } from '../../shared/importers/importers.ts';
import { type Figure, inNewProcess, rounded } from './figure.ts';

const rows = 1_000_000;
const zips = 1_300;

const rates = `27,45,27,0.06875,0.06875,0.06875,0.06875,20090701,29991231
27,00,053,0.0015,0.0015,0.0015,0.0015,20070101,29991231
27,01,43000,0.0050,0.0050,0.0050,0.0050,20051001,29991231
27,63,80004,0.0050,0.0050,0.0050,0.0050,20171001,29991231
`;

/** A ZIP+4 range, as most rows of a boundary file are. Every third range has no city, so that a ZIP has several sets. */
const boundaryRow = (index: number): string => {
  const zip = 55_301 + (index % zips);
  const [low, high] = [0, 9].map((last) => String(Math.floor(index / zips) * 10 + last).padStart(4, '0'));
  const place = index % 3 === 0 ? '' : '43000';
  const range = `${zip},${low},${zip},${high}`;
  return `4,20190101,29991231,${','.repeat(14)}${range},,27,27,053,${place},,,,ST,80004,63${','.repeat(57)}\n`;
};

const importRows = async (): Promise<Figure> => {
  const tempFolder = temporaryFolder();
  const files = ['MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv'].map((name) => join(tempFolder, name));
  const [rateFile = '', boundaryFile = ''] = files;
  writeFileSync(rateFile, rates);
  for (let index = 0; index < rows; index += 10_000) {
    const text = Array.from({ length: 10_000 }, (_, offset) => boundaryRow(index + offset)).join('');
    writeFileSync(boundaryFile, text, { flag: 'a' });
  }
  const base = builtInRelease('MN') as Release;
  const start = performance.now();
  const built = await buildRelease({
    ...{ entries: importers.sst.read(files, { state: 'MN', base }), base, importer: importers.sst, tempFolder },
    position: { below: base.id, chain: [], bottom: base.id },
    ...{ id: 'US-MN@2026-11-21.1', importedAt: '2026-11-21T00:00:00.000Z' },
  });
  if (built.outcome !== 'built' || built.summary.bad.count > 0) throw new Error(JSON.stringify(built.summary));
  return {
    ...{ figure: 'import', of: 'sst boundary file', rows, parts: built.head.counts.parts },
    rows_per_second: rounded((rows * 1000) / (performance.now() - start)),
    peak_megabytes: rounded(process.resourceUsage().maxRSS / 1024),
  };
};

/** The rows of a boundary file that an import reads in a second, and the peak memory of its process. */
export const importFigures = (): Figure[] => [inNewProcess('imports.ts', [])];

if (import.meta.main) console.log(JSON.stringify(await importRows()));
