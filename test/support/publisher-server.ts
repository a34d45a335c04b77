/** A loopback server that emulates every publisher whose files Levy imports, as a target of `--mirror`. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { rateOn } from '../../shared/catalog/rates.ts';
import { now } from '../../shared/config/clock.ts';
import { zipsOfState } from '../../shared/importers/zips.ts';
import { jurisdictionCode, stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { fixture, type TestFile, zipped } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../fixtures/imports/sst.ts';
import { changedFile } from '../fixtures/imports/workbooks.ts';
import { listen } from './http.ts';

const streamlined = 'www.streamlinedsalestax.org/ratesandboundry';
const texasPath = 'comptroller.texas.gov/data/edi/sales-tax/taxrates.txt';
const californiaPath = 'gis.data.ca.gov/api/download/v1/items/01883a79765a4afba132ba54da408d8b/csv';

/** Pages that link to dated files, and the files by name. */
const dated: Readonly<Record<string, readonly [page: string, folder: string]>> = {
  'TPT_RATETABLE_ALL_11012026.csv': [
    'azdor.gov/business/transaction-privilege-tax/tax-rate-table',
    'azdor.gov/sites/default/files/document/',
  ],
  'oct2026.xlsx': [
    `dor.mo.gov/taxation/business/tax-types/sales-use/rate-tables/${new Date(now()).getUTCFullYear()}/`,
    'dor.mo.gov/pdf/rates/2026/',
  ],
  'ARSSTC-Sales-Tax-Rate-Sheet-11-1-26.xlsx': [
    'arsstc.org/business-sellers/tax-rates/',
    'arsstc.org/wp-content/uploads/2026/11/',
  ],
  'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx': [
    'tax.colorado.gov/how-to-look-up-sales-use-tax-rates',
    'tax.colorado.gov/sites/tax/files/documents/',
  ],
  'Domicile-Rate-Listing-October-2026.xlsx': ['remotesellers.louisiana.gov/', 'remotesellers.louisiana.gov/Documents/'],
};
/** An ArcGIS directory of feature services, in which the newest service with rates is in effect. */
const arcgisPath = 'services5.arcgis.com/f4lpEvI6fkgVYigk/arcgis/rest/services';
const services = ['Jan_July_2025_pub', 'July_2026_June_2027', 'July_2099_June_2100'].map(
  (period) => `New_Mexico_gross_receipts_tax_${period}`,
);
const service = `${arcgisPath}/${services[1]}/FeatureServer`;
const described: Readonly<Record<string, unknown>> = {
  [arcgisPath]: {
    currentVersion: 12,
    services: ['New_Mexico_Wells', ...services].map((name) => ({ name, type: 'FeatureServer' })),
  },
  [service]: {
    layers: [
      { id: 2, name: 'NM gross receipts tax' },
      { id: 3, name: 'Counties' },
    ],
  },
};
/** Files that are not stored as fixtures. */
const workbooks = new Map(
  (['missouri', 'virginia', 'alaska', 'colorado', 'louisiana', 'new-mexico'] as const).map((format) => {
    const { name, content } = changedFile(format);
    return [name, content];
  }),
);
const getContent = (name: string): Buffer => Buffer.from(workbooks.get(name) ?? fixture(name).content);
const fixedPaths: Readonly<Record<string, string>> = {
  'taxrates.txt': texasPath,
  'cdtfa.csv': californiaPath,
  'taxrates_current.csv': 'www.revenue.alabama.gov/wp-content/uploads/2024/03/taxrates_current.csv',
  'sales-and-use-tax-rates-by-locality-by-date.xlsx':
    'www.tax.virginia.gov/sites/default/files/inline-files/sales-and-use-tax-rates-by-locality-by-date.xlsx',
  'ordmache-current.txt':
    'tax.illinois.gov/content/dam/soi/en/web/tax/research/taxrates/documents/salestaxrates/ordmache-current.txt',
  'New_Mexico_gross_receipts_tax_July_2026_June_2027.json': `${service}/2/query`,
};

/** Whether a line of `requests` is for a page, not a file. */
export const isPage = (line: string): boolean =>
  line.includes('/ ') ||
  [...Object.keys(described), ...Object.values(dated).map(([page]) => page)].some((page) => line.includes(` ${page} `));

/** Arizona's site rejects requests without a User-Agent. */
const isRefused = (path: string, agent: string): boolean =>
  path.startsWith('azdor.gov/') && !/^[A-Z]\w*\/\d/.test(agent);

/** Responds to a request instead of the server; `false` lets the server send the file. */
export type Play = (request: IncomingMessage, response: ServerResponse, content: Buffer) => boolean;

export type PublisherServer = {
  readonly url: string;
  /** Every request so far: method, path and status. */
  readonly requests: string[];
  /** Publishes files of a Streamlined state; replaces files with the same name. */
  readonly publish: (files: readonly TestFile[], options?: { readonly pack?: boolean }) => void;
  readonly withdraw: (name: string) => void;
  /** Replaces the content at a fixed URL. */
  readonly put: (path: string, content: string | Buffer) => void;
  /** Injects a fault for every path that contains a string; `null` removes it. */
  readonly play: (part: string, play: Play | null) => void;
  readonly close: () => void;
};

/**
 * Builds rate and boundary files of a state with a statewide rate and a county tax of half a percent in its first ZIP
 * code.
 */
export const smallFiles = (state: string, { rate = '0.005', quarter = '2026Q4' } = {}): readonly TestFile[] => {
  const fips = stateFips(state);
  const release = builtInRelease(state);
  const own = (release && rateOn(release, jurisdictionCode(state), '2026-11-22')?.rate) ?? '0.06';
  const [first = '', second = '', third = ''] = zipsOfState(state);
  // Nevada's file lists the statewide rate in the county rows, not in a state row.
  const [atState, atCounty] = state === 'NV' ? ['0', '0.0685'] : [own, rate];
  const rates = [rateRow(fips, '45', fips, atState), rateRow(fips, '00', '001', atCounty)];
  const boundary = [
    boundaryRow({ zips: [first, '0000', first, '9999'], state: fips, county: '001' }),
    boundaryRow({ zips: [second, '0000', third, '9999'], state: fips, ...(state === 'NV' && { county: '001' }) }),
  ];
  return sstFiles(state, rates, boundary, quarter);
};

const linkPage = (names: readonly string[]): string =>
  `<!DOCTYPE html><html><body><h1>Files</h1><ul>${names.map((name) => `<li><a href="${name}">${name}</a>`).join('')}</ul><a href="../">Up</a></body></html>`;

export const openPublisherServer = async (states: readonly string[]): Promise<PublisherServer> => {
  const files = new Map<string, Buffer>();
  const plays = new Map<string, Play>();
  const requests: string[] = [];
  const getFolder = (name: string) => `${streamlined}/${name[2] === 'R' ? 'Rates' : 'Boundary'}/`;
  const publish: PublisherServer['publish'] = (published, { pack = false } = {}) => {
    for (const { name, content } of published) {
      for (const end of ['csv', 'zip']) files.delete(`${getFolder(name)}${name.replace('csv', end)}`);
      const sent = pack ? zipped([{ name, content }]) : content;
      files.set(`${getFolder(name)}${pack ? name.replace('.csv', '.zip') : name}`, Buffer.from(sent));
    }
  };
  for (const [index, state] of states.entries()) publish(smallFiles(state), { pack: index % 2 === 0 });
  for (const [name, path] of Object.entries(fixedPaths)) files.set(path, getContent(name));
  for (const [path, description] of Object.entries(described))
    files.set(path, Buffer.from(JSON.stringify(description)));
  for (const [name, [page, folder]] of Object.entries(dated)) {
    files.set(`${folder}${name}`, getContent(name));
    files.set(page, Buffer.from(linkPage([`/${folder.replace(/^[^/]+\//, '')}${name}`])));
  }
  const contentAt = (path: string): Buffer | undefined => {
    if (files.has(path) || !path.endsWith('/')) return files.get(path);
    const names = [...files.keys()].filter((name) => name.startsWith(path)).map((name) => name.slice(path.length));
    return names.length === 0 ? undefined : Buffer.from(linkPage(names));
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname.slice(1));
    response.on('close', () => requests.push(`${request.method} ${path} ${response.statusCode}`));
    if (isRefused(path, request.headers['user-agent'] ?? '')) return response.writeHead(403).end('Forbidden');
    const content = contentAt(path);
    if (content === undefined) return response.writeHead(404).end('Not found');
    const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;
    response.setHeader('ETag', etag);
    for (const [part, play] of plays) if (path.includes(part) && play(request, response, content)) return;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isRange = start > 0 && request.headers['if-range'] === etag;
    const sent = isRange ? content.subarray(start) : content;
    const range = { 'Content-Range': `bytes ${start}-${content.length - 1}/${content.length}` };
    response.writeHead(isRange ? 206 : 200, { 'Content-Length': sent.length, ...(isRange && range) });
    response.end(request.method === 'HEAD' ? undefined : sent);
  });
  return {
    ...(await listen(server)),
    requests,
    publish,
    withdraw: (name) => files.delete(`${getFolder(name)}${name}`),
    put: (path, content) => files.set(path, Buffer.from(content)),
    play: (part, play) => (play === null ? plays.delete(part) : plays.set(part, play)),
  };
};
