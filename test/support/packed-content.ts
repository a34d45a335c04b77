import { existsSync, readFileSync } from 'node:fs';
import { hashFile, hashSources } from '../../shared/cli/pack/source-hash.ts';

/** Throws if the packed content was generated from other sources, or never. Takes about 30 ms. */
export const requireCurrentContent = (path = hashFile): void => {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== hashSources())
    throw new Error('The files in shared/packed are older than their sources: run `npm run pack`.');
};
