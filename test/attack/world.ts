import type { Book } from './book.ts';
import type { Draw } from './draw.ts';
import type { Network } from './network.ts';
import type { Service } from './processes.ts';

/** A world: a service on its own database, and two accounts beside each other. */
export type World = {
  readonly service: Service;
  readonly network: Network;
  readonly books: readonly [Book, Book];
  readonly draw: Draw;
  /** The first month. */
  readonly month: number;
};
