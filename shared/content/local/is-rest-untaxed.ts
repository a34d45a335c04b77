import type { Release } from '../release.ts';
import { loadLocalTable } from './load.ts';

/** Whether a release knows that an address has no local tax that none of its locations names. */
export const isRestUntaxed = ({ coverage, locals, local }: Release): boolean =>
  coverage === 'complete' && locals !== 'listed' && (local === undefined || loadLocalTable(local).isUntaxed);
