import { closest } from '../../vocabulary/closest.ts';
import { cityName } from '../location/city-name.ts';
import type { LocalTable, ZipEntry } from './local-table.ts';
import { plainName } from './place-names.ts';

/** The known name that a mistyped city most likely means: of the ZIP if one is near enough, otherwise of the state's places. */
export const nearestName = (table: LocalTable, zip: ZipEntry | undefined, city: string): string | null => {
  const plain = plainName(city);
  const words = plain.split(' ');
  // A name without one of the words is another place: North Little Rock is not Little Rock.
  const shorter = new Set(words.map((_, position) => words.toSpliced(position, 1).join(' ')));
  const nearest = (names: ReadonlyMap<string, string>) =>
    names.get(
      closest(
        plain,
        names.keys().filter((name) => !shorter.has(name)),
      ) ?? '',
    ) || null;
  const ofZip = new Map(zip?.names.map(({ spellings: [name = ''] }) => [plainName(cityName(name) ?? ''), name]));
  return nearest(ofZip) ?? nearest(table.placeNames());
};
