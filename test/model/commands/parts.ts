import fc from 'fast-check';
import type { Model, Requested, World } from '../book.ts';
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

/** A record of arbitraries: the choices of a command, before they are resolved against the state. */
export const of = <Wish>(shape: { [Name in keyof Wish]: fc.Arbitrary<Wish[Name]> }): fc.Arbitrary<Wish> =>
  fc.record(shape);

/** What an arbitrary generates. */
export type Generated<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** The generated choices of a command. */
export type Wished<Shape> = { readonly [Name in keyof Shape]: Generated<Shape[Name]> };

/** Most often nothing at all. */
export const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, oneIn: number): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly the first account, so that its transactions meet. */
export const side: fc.Arbitrary<Side> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) },
);

export const target = fc.nat(39);
export const status = fc.constantFrom('draft', 'finalized', 'finalized');
export const key = seldom(fc.constantFrom('k1', 'k2'), 4);
export const reference = seldom(fc.constantFrom('r1', 'r2', 'r3'), 2);
export const taxDays = seldom(of({ back: fc.nat(60), isDate: fc.boolean() }), 2);

export const metadata = seldom(
  fc.oneof(
    fc.constant(null),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.option(fc.constantFrom('x', 'y')), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  ),
  2,
);

const dayMs = 86_400_000;

type Said = {
  readonly reference?: string | null | undefined;
  readonly metadata?: Requested['metadata'] | undefined;
  readonly taxDays?: { readonly back: number; readonly isDate: boolean } | undefined;
};

/** The fields that every document can have. */
export const said = ({ reference, metadata, taxDays }: Said, nowMs: number): Requested => {
  const at = taxDays && new Date(nowMs - taxDays.back * dayMs).toISOString();
  return {
    ...(reference !== undefined && { reference_id: reference }),
    ...(metadata !== undefined && { metadata }),
    ...(at && { tax_date: taxDays.isDate ? at.slice(0, 10) : at }),
  };
};

export const headersOf = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };
