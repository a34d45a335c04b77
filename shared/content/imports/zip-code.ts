import { statesOfZip } from '../location/zip-states.ts';
import { bad, type RowResult, row, skipped } from './row-result.ts';
import { foreignZips } from './zips.ts';

/**
 * Read a five-digit ZIP of a state. A spreadsheet makes 2139 of 02139: the zeros come back where that is a ZIP of the
 * state, and where it is none, nobody knows what was meant. A whole ZIP of another state is left out.
 */
export const readZip = (text: string, state: string): RowResult<string> => {
  if (!/^\d{3,5}$/.test(text)) return bad(`ZIP ${text || '(none)'} is none: write five digits`);
  const zip = text.padStart(5, '0');
  if (statesOfZip(zip).includes(state)) return row(zip);
  if (text.length === 5) return skipped(foreignZips(state));
  return bad(`ZIP ${text} has lost digits, and ${zip} is not in ${state}: format the column as text`);
};
