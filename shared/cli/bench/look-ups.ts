import { builtInRelease, builtInReleaseById } from '../../content/built-in.ts';
import { contentLoader } from '../../content/loading/content-loader.ts';
import { readAddress, type TaxAddress } from '../../content/location/address.ts';
import { locate } from '../../content/location/place.ts';
import { readActiveReleases, readContent } from '../../store/content/content-reads.ts';
import { activateRelease, importRelease } from '../../store/content/content-store.ts';
import { accepted } from '../terminal/errors.ts';
import { day, imported, importedAt, zip4Ranges, zips } from './content.ts';
import { type Figure, microsecondsOf, rounded } from './figure.ts';

/** Import the release of the bench and activate it. */
export const activateContent = async (): Promise<void> => {
  const { head, parts } = imported();
  accepted(await importRelease(head, parts));
  accepted(await activateRelease(head.state, head.id, await readActiveReleases(), importedAt));
};

const newLoader = () =>
  contentLoader({
    readActive: readActiveReleases,
    readContent,
    builtIn: builtInRelease,
    builtInById: builtInReleaseById,
    now: Date.now,
  });

/** How long an imported release takes to return the jurisdictions of an address: in a new instance, and cached. */
export const lookUpFigures = async (): Promise<Figure[]> => {
  const addresses = zips.map((zip) => accepted(readAddress({ state: 'MN', postal_code: `${zip}-1234` }, '')));
  const lookUp = async ({ loadContent }: ReturnType<typeof newLoader>, address: TaxAddress) => {
    const { place } = locate(address, await loadContent([address]), day, false);
    if (place.jurisdictions.length !== 4) throw new Error('The imported release was not used.');
  };
  const loader = newLoader();
  for (const address of addresses) await lookUp(loader, address);
  let at = 0;
  const next = () => addresses[at++ % addresses.length] as TaxAddress;
  const measured = await microsecondsOf({
    'cold: directory, then one batch': () => lookUp(newLoader(), next()),
    'warm: no call': () => lookUp(loader, next()),
  });
  return measured.map(({ name, median }) => ({
    ...{ figure: 'content_look_up', of: name, zip4_ranges: zip4Ranges, median_us: rounded(median) },
  }));
};
