import { counted } from '../../base/texts.ts';
import { badRowsNamed, type Summary } from '../summary.ts';

/** The heading of the list of bad rows and of problems with whole files. */
const badHeading = ({ count, rows }: Summary['bad'], skipsBadRows: boolean): string => {
  const ofFiles = count - rows;
  const parts = [
    ...(rows > 0 ? [counted(rows, 'bad row')] : []),
    ...(ofFiles > 0 ? [counted(ofFiles, 'problem with a file as a whole', 'problems with files as a whole')] : []),
  ];
  return `${skipsBadRows ? 'Skipped ' : ''}${parts.join(' and ')}:`;
};

/** The rows that were read, kept and skipped, with the first line of each reason. */
export const summaryLines = (summary: Summary, skipsBadRows: boolean): readonly string[] => {
  const { files, rowsRead, rowsKept, skipped, remarks, bad, inForce, notes } = summary;
  const place = ({ file, firstLine }: { readonly file: string; readonly firstLine: number }) =>
    `first in ${file}, line ${firstLine}`;
  return [
    ...(inForce?.locations === 0 ? [`No value in these files is in force today, ${inForce.day}.`] : []),
    ...files.map(({ name, rows }) => `${name}: ${counted(rows, 'row')}`),
    `Read ${counted(rowsRead, 'row')}, kept ${rowsKept.toLocaleString('en-US')}.`,
    ...skipped.map((group) => `Skipped ${counted(group.count, 'row')}, ${place(group)}: ${group.reason}`),
    ...remarks.map((group) => `Kept ${counted(group.count, 'row')}, ${place(group)}: ${group.reason}`),
    ...(bad.count > 0 ? [badHeading(bad, skipsBadRows)] : []),
    ...bad.first.map(({ file, line, reason }) => `  ${file}, line ${line}: ${reason}`),
    ...(bad.count > badRowsNamed ? [`  and ${(bad.count - badRowsNamed).toLocaleString('en-US')} more`] : []),
    ...notes,
  ];
};
