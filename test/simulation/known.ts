import type { Seen } from './bodies.ts';
import type { Request } from './service.ts';

/** What the clients of an account have seen, of their own and of the other account. */
export type Known = {
  readonly own: readonly Seen[];
  readonly foreign: readonly Seen[];
  readonly filings: readonly string[];
  /** The exceptions of filings as last seen, by id. */
  readonly exceptions: ReadonlyMap<string, number>;
  readonly foreignSecret: string;
  readonly isVaried: boolean;
};

/** Draws a request from what its client has seen. */
export type Making = (known: Known, name: string) => Omit<Request, 'key'>;
