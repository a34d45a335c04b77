import { counted, print } from '../cli/terminal/output.ts';
import { badRowsNamed, type Summary } from '../content/imports/summary.ts';

/** The heading of the list of bad rows and of problems with whole files. */
const badHeading = ({ count, rows }: Summary['bad'], skipsBadRows: boolean): string => {
  const ofFiles = count - rows;
  const parts = [
    ...(rows > 0 ? [counted(rows, 'bad row')] : []),
    ...(ofFiles > 0 ? [counted(ofFiles, 'problem with a file as a whole', 'problems with files as a whole')] : []),
  ];
  return `${skipsBadRows ? 'Skipped ' : ''}${parts.join(' and ')}:`;
};

/** Print the rows that were read, kept and skipped, with the first line of each reason. */
export const printSummary = (summary: Summary, skipsBadRows: boolean): void => {
  const { files, rowsRead, rowsKept, skipped, remarks, bad, inForce, notes } = summary;
  if (inForce?.locations === 0) print(`No value in these files is in force today, ${inForce.day}.`);
  for (const { name, rows } of files) print(`${name}: ${counted(rows, 'row')}`);
  print(`Read ${counted(rowsRead, 'row')}, kept ${rowsKept.toLocaleString('en-US')}.`);
  for (const { reason, count, file, firstLine } of skipped)
    print(`Skipped ${counted(count, 'row')}, first in ${file}, line ${firstLine}: ${reason}`);
  for (const { reason, count, file, firstLine } of remarks)
    print(`Kept ${counted(count, 'row')}, first in ${file}, line ${firstLine}: ${reason}`);
  if (bad.count > 0) print(badHeading(bad, skipsBadRows));
  for (const { file, line, reason } of bad.first) print(`  ${file}, line ${line}: ${reason}`);
  if (bad.count > badRowsNamed) print(`  and ${(bad.count - badRowsNamed).toLocaleString('en-US')} more`);
  for (const note of notes) print(note);
};
