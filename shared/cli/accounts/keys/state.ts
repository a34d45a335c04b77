import type { ApiKey } from '../../../accounts/api-key.ts';

/** `overlapping`: another key has its place, and it ends soon. */
export type KeyState = 'active' | 'overlapping' | 'expired' | 'revoked';

/** What a key is at a time, in milliseconds since 1970. What is revoked or expired lets nobody in. */
export const stateOf = ({ revoked_at, expires_at, replaced_by }: ApiKey, nowMs: number): KeyState => {
  if (revoked_at !== undefined) return 'revoked';
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return 'expired';
  return replaced_by === undefined ? 'active' : 'overlapping';
};
