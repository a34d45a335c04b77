import type { ItemKey } from '../../shared/store/keys.ts';
import { type Command, inputOf } from '../support/memory-database.ts';

const placeOf = ({ pk = '', sk = '' }: Partial<ItemKey> = {}) => `${pk}/${sk}`;

/** The items of a transaction's actions, in order. */
export const placesOf = (command: Command): readonly string[] =>
  (inputOf(command).TransactItems ?? []).flatMap((action) =>
    Object.values(action).map(({ Item, Key }) => placeOf(Item ?? Key)),
  );

/** What a command reads or writes, as text for the trace. */
export const targetOf = (command: Command): string => {
  const { TransactItems, RequestItems, IndexName, ExpressionAttributeValues, ExclusiveStartKey, Item, Key } =
    inputOf(command);
  const what = command.constructor.name.replace('Command', '');
  const places = placesOf(command);
  if (TransactItems)
    return `${what} [${TransactItems.map((action, at) => `${Object.keys(action)} ${places[at]}`).join(', ')}]`;
  if (RequestItems) {
    const keys = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys.map(placeOf));
    return `${what} [${keys.join(', ')}]`;
  }
  if (ExpressionAttributeValues && !Item && !Key)
    return `${what} ${IndexName ?? ''} ${Object.values(ExpressionAttributeValues).join(' ')}${ExclusiveStartKey ? ` after ${placeOf(ExclusiveStartKey)}` : ''}`;
  return `${what} ${placeOf(Item ?? Key)}`;
};
