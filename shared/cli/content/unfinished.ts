import type { UnfinishedImport } from '../../store/content/content-store.ts';
import { instantText, print } from '../terminal/output.ts';

/** What removes what an import left that was broken off. */
export const remedyOf = ({ id }: UnfinishedImport): string => `npm run content -- discard ${id}`;

/** Say which imports were not finished, be it that they are running or were broken off, and what to do about them. */
export const printUnfinished = (imports: readonly UnfinishedImport[]): void => {
  for (const one of imports)
    print(
      `${one.id} is not finished. Its import began at ${instantText(one.began_at)} UTC: if it is not running any more, remove what it left with \`${remedyOf(one)}\`.`,
    );
};
