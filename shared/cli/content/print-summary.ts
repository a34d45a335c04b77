import { badRowsNamed, type Summary } from '../../content/imports/summary.ts';
import { counted, print } from './output.ts';

/** Say what was read, kept and left out, and why, with the lines to look at. */
export const printSummary = (summary: Summary, skipsBadRows: boolean): void => {
  const { files, rowsRead, rowsKept, skipped, remarks, bad, inForce, notes } = summary;
  if (inForce?.locations === 0) print(`Mind that nothing of it holds today, ${inForce.day}.`);
  for (const { name, rows } of files) print(`${name}: ${counted(rows, 'row')}`);
  print(`Read ${counted(rowsRead, 'row')}, kept ${rowsKept.toLocaleString('en-US')}.`);
  for (const { reason, count, file, firstLine } of skipped)
    print(`Skipped ${counted(count, 'row')}, first in ${file}, line ${firstLine}: ${reason}`);
  for (const { reason, count, file, firstLine } of remarks)
    print(`Kept ${counted(count, 'row')}, first in ${file}, line ${firstLine}: ${reason}`);
  if (bad.count > 0) print(`${skipsBadRows ? 'Skipped ' : ''}${counted(bad.rows, 'bad row')}:`);
  for (const { file, line, reason } of bad.first) print(`  ${file}, line ${line}: ${reason}`);
  if (bad.count > badRowsNamed) print(`  and ${(bad.count - badRowsNamed).toLocaleString('en-US')} more`);
  for (const note of notes) print(note);
};
