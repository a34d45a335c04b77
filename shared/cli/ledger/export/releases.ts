import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../canonical-json.ts';
import { builtInReleaseById } from '../../../content/built-in.ts';
import { findHead } from '../../../store/content/content-store.ts';

/** The hash of a release, built-in or imported here; `null` where there is none of this id. */
export const releaseHash = async (id: string): Promise<string | null> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn) return createHash('sha256').update(canonicalJson(builtIn)).digest('hex');
  return (await findHead(id))?.content_hash ?? null;
};
