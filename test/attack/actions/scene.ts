import type { Answer } from '../../support/http.ts';
import type { Book } from '../book.ts';
import type { Draw } from '../draw.ts';
import type { Client, Sending } from '../network.ts';
import type { Service } from '../processes.ts';
import { Violation } from '../violation.ts';

/** The context of a client of an account. */
export type Scene = {
  readonly book: Book;
  /** The account beside it, whose data it must never reach. */
  readonly other: Book;
  readonly client: Client;
  readonly service: Service;
  readonly draw: Draw;
  /** The month in which it acts. */
  readonly month: number;
  /** The names of the transactions that clients may have recorded by now. */
  readonly names: readonly string[];
  /** The transactions of this month. */
  readonly recent: readonly string[];
  readonly customers: readonly string[];
};

/** The type of every answer includes the fields of refusals. */
export const codeOf = ({ body }: Answer): string => body?.errors?.[0]?.code ?? '';

const isExpected = (answer: Answer, codes: readonly string[]): boolean =>
  answer.status < 300 || codes.includes(codeOf(answer));

/** Throw a `Violation` for a refusal that is none of these. */
export const mustSucceedOr = (answer: Answer, codes: readonly string[], sending: Omit<Sending, 'key'>): void => {
  if (isExpected(answer, codes)) return;
  const { method, path, body } = sending;
  throw new Violation(
    `${method} ${path} is answered with ${answer.status} ${codeOf(answer)}.\n${JSON.stringify({ body, answer: answer.body }, null, 1)}`,
  );
};

/** The first transactions of a month are those that all clients reach for. */
const contended = 5;

/** A transaction that was recorded by one of the names, if the one that is drawn is known to be there. */
export const drawnId = ({
  book,
  draw,
  names,
  recent,
}: Scene): { readonly name: string; readonly id: string } | null => {
  if (names.length === 0) return null;
  const first = recent.slice(0, contended);
  const name = draw.of(first.length > 0 && draw.chance(35) ? first : names);
  const id = book.creations.get(name)?.id ?? null;
  return id === null ? null : { name, id };
};
