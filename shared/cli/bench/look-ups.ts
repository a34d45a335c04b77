import { createHash } from 'node:crypto';
import { builtInRelease, builtInReleaseById } from '../../content/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentLoader } from '../../content/loading/content-loader.ts';
import { readAddress, type TaxAddress } from '../../content/location/address.ts';
import { locate } from '../../content/location/place.ts';
import type { Release } from '../../content/release.ts';
import { readActiveReleases, readContent } from '../../store/content/content-reads.ts';
import { activateRelease, importRelease } from '../../store/content/content-store.ts';
import { type Figure, median, rounded } from './figure.ts';

const id = 'US-MN@2026-11-21.199';
const day = '2026-11-21';
const zips = Array.from({ length: 40 }, (_, index) => String(55_401 + index));
/** As many ranges of ZIP+4 as a ZIP of Washington has. */
const ranges = 240;
const coldTimes = 40;
const warmTimes = 20_000;

const evidence = { from: '2020-01-01', to: null, source: 'file', confidence: 'high' } as const;
const codes = ['US-MN-00-053', 'US-MN-01-43000', 'US-MN-63-80004'] as const;

const partOf = (zip: string): ReleasePart => ({
  key: zip,
  jurisdictions: codes.map((code) => ({ code, name: code, type: 'district', tax_type: 'sales' })),
  rates: codes.map((jurisdiction) => ({ ...evidence, jurisdiction, rate: '0.005' })),
  locations: Array.from({ length: ranges }, (_, index) => {
    const [low, high] = [index * 40, index * 40 + 39].map((plus4) => zip + String(plus4).padStart(4, '0'));
    return { ...evidence, zips: [[low, high] as [string, string]], cities: [], alternatives: [codes.slice(index % 2)] };
  }),
});

const headOf = (base: Release): ReleaseHead => ({
  ...base,
  id,
  locals: 'listed',
  base: base.id,
  format: 'sst',
  imported_at: `${day}T00:00:00.000Z`,
  content_hash: createHash('sha256').update(id).digest('hex'),
  counts: { parts: zips.length, jurisdictions: codes.length, rates: codes.length, locations: zips.length * ranges },
});

const activateBenchRelease = async (): Promise<void> => {
  const base = builtInRelease('MN');
  if (!base) throw new Error('There is no built-in release of Minnesota.');
  const steps = [
    await importRelease(headOf(base), zips.map(partOf)),
    await activateRelease('US-MN', id, await readActiveReleases(), `${day}T00:00:00.000Z`),
  ];
  for (const step of steps) if (!step.ok) throw new Error(step.problems[0].detail);
};

const addressOf = (zip: string): TaxAddress => {
  const read = readAddress({ state: 'MN', postal_code: `${zip}-1234` }, '');
  if (!read.ok) throw new Error(read.problems[0].detail);
  return read.value;
};

const loaderOfNewInstance = () =>
  contentLoader({
    readActive: readActiveReleases,
    readContent,
    builtIn: builtInRelease,
    builtInById: builtInReleaseById,
    now: Date.now,
  });

const lookUp = async ({ loadContent }: ReturnType<typeof loaderOfNewInstance>, address: TaxAddress): Promise<void> => {
  const { place } = locate(address, await loadContent([address]), day, false);
  if (place.jurisdictions.length < 3) throw new Error('The imported release did not answer.');
};

/** How long an address of an imported release takes to its jurisdictions: in a new instance, and with all at hand. */
export const lookUpFigures = async (): Promise<Figure[]> => {
  await activateBenchRelease();
  const addresses = zips.map(addressOf);
  const coldMs: number[] = [];
  for (let time = 0; time < coldTimes; time += 1) {
    const begun = performance.now();
    await lookUp(loaderOfNewInstance(), addresses[time % addresses.length] as TaxAddress);
    coldMs.push(performance.now() - begun);
  }
  const loader = loaderOfNewInstance();
  for (const address of addresses) await lookUp(loader, address);
  const begun = performance.now();
  for (let time = 0; time < warmTimes; time += 1)
    await lookUp(loader, addresses[time % addresses.length] as TaxAddress);
  const warmUs = ((performance.now() - begun) * 1000) / warmTimes;
  return [
    {
      figure: 'content_look_up',
      of: 'cold: the directory, then one batch',
      zip4_ranges: ranges,
      median_ms: rounded(median(coldMs)),
    },
    { figure: 'content_look_up', of: 'warm: no call', zip4_ranges: ranges, mean_us: rounded(warmUs) },
  ];
};
