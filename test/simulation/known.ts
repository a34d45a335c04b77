import type { Seen } from './bodies.ts';
import type { Request } from './service.ts';

/** What the clients of an account know together, and what they know of others. */
export type Known = {
  readonly own: readonly Seen[];
  readonly foreign: readonly Seen[];
  readonly filings: readonly string[];
  readonly foreignSecret: string;
};

/** Makes a request out of what its client knows, and a name of its own. */
export type Making = (known: Known, name: string) => Omit<Request, 'key'>;
