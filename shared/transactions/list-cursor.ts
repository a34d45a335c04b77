import * as z from 'zod/mini';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { ListPosition } from './ledger.ts';

const Position = z.object({ id: z.string(), tax_date: z.string() });

/** The cursor of a position in a list of transactions with these filters. */
export const cursorOf = ({ id, tax_date }: ListPosition, secret: string, filters: unknown): string =>
  encodeCursor(JSON.stringify({ id, tax_date }), { list: 'transactions', secret, filters });

/** The position in a cursor; `null` where it belongs to another account, list or filters. */
export const positionOf = (cursor: string, secret: string, filters: unknown): ListPosition | null => {
  const position = decodeCursor(cursor, { list: 'transactions', secret, filters });
  return position === null ? null : Position.parse(JSON.parse(position));
};
