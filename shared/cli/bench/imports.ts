import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, rounded } from './figure.ts';

const probe = fileURLToPath(new URL('imports-probe.ts', import.meta.url));

/** ZIP+4 ranges: most of a boundary file is of them. */
const rows = 1_000_000;
const zips = 1_300;

const rates = `27,45,27,0.06875,0.06875,0.06875,0.06875,20090701,29991231
27,00,053,0.0015,0.0015,0.0015,0.0015,20070101,29991231
27,01,43000,0.0050,0.0050,0.0050,0.0050,20051001,29991231
27,63,80004,0.0050,0.0050,0.0050,0.0050,20171001,29991231
`;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** Every third range has no city, so that a ZIP has several sets. */
const boundaryRow = (index: number): string => {
  const zip = digits(55_301 + (index % zips), 5);
  const low = Math.floor(index / zips) * 10;
  const place = index % 3 === 0 ? '' : '43000';
  const range = `${zip},${digits(low, 4)},${zip},${digits(low + 9, 4)}`;
  return `4,20190101,29991231,${','.repeat(14)}${range},,27,27,053,${place},,,,ST,80004,63${','.repeat(57)}\n`;
};

const writeFiles = (folder: string): readonly [string, string] => {
  const paths = [join(folder, 'MNR2026Q4AUG28.csv'), join(folder, 'MNB2026Q4AUG28.csv')] as const;
  const [rateFile, boundaryFile] = paths.map((path) => openSync(path, 'w')) as [number, number];
  writeSync(rateFile, rates);
  for (let index = 0; index < rows; index += 10_000)
    writeSync(boundaryFile, Array.from({ length: 10_000 }, (_, offset) => boundaryRow(index + offset)).join(''));
  closeSync(rateFile);
  closeSync(boundaryFile);
  return paths;
};

/**
 * How many rows of a boundary file an import reads in a second, and the most memory that its process ever had. A
 * process of its own, so that nothing else is in that memory.
 */
export const importFigures = (folder: string): Figure[] => {
  const own = join(folder, 'imports');
  mkdirSync(own);
  try {
    const { stdout, stderr } = spawnSync(process.execPath, [probe, own, ...writeFiles(own)], { encoding: 'utf8' });
    if (stdout === '') throw new Error(`The import failed: ${stderr}`);
    const { seconds, peakMegabytes, parts } = JSON.parse(stdout);
    return [
      {
        figure: 'import',
        of: 'sst boundary file',
        rows,
        parts,
        rows_per_second: rounded(rows / seconds),
        peak_megabytes: rounded(peakMegabytes),
      },
    ];
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
};
