import type fc from 'fast-check';
import type { Model, World } from '../book.ts';
import type { Side } from '../requests.ts';

/** One command of a run. What it came to be, once it ran, is part of how it is printed. */
export abstract class Step<Wish> implements fc.AsyncCommand<Model, World> {
  readonly side: Side;
  readonly wish: Wish;
  #ran: unknown;

  constructor(side: Side, wish: Wish) {
    this.side = side;
    this.wish = wish;
  }

  check(_model: Readonly<Model>): boolean {
    return true;
  }

  abstract run(model: Model, world: World): Promise<void>;

  /** Remember what was sent, for who reads a counterexample. */
  protected noted<const Value>(value: Value): Value {
    this.#ran = value;
    return value;
  }

  toString(): string {
    return `\n  ${this.constructor.name}(${this.side}) ${JSON.stringify(this.#ran ?? this.wish)}`;
  }
}
