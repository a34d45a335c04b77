import { seededRandom } from '../../simulation/world.ts';

/** Choices that look random and come again with the same seed. */
export class Chance {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = seededRandom(seed);
  }
  /** A whole number from 0, below `count`. */
  readonly below = (count: number): number => Math.floor(this.next() * count);
  readonly pick = <Value>(values: readonly Value[]): Value => values[this.below(values.length)] as Value;
  readonly is = (probability: number): boolean => this.next() < probability;
  /** One of several ways, by weight. */
  readonly weighted = <Value>(choices: readonly (readonly [weight: number, value: Value])[]): Value => {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return (choices.at(-1) as readonly [number, Value])[1];
  };
}
