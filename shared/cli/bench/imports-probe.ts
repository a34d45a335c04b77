/** One import in a process of its own: `node imports-probe.ts folder rates boundary` prints what it took. */
import { builtInRelease } from '../../content/built-in.ts';
import { buildRelease } from '../../content/imports/build.ts';
import { importers } from '../../content/imports/importers.ts';

const [tempFolder = '', ...files] = process.argv.slice(2);
const base = builtInRelease('MN');
if (!base) throw new Error('There is no built-in release to import on.');
const start = performance.now();
const built = await buildRelease({
  entries: importers.sst.read(files, { state: 'MN', base }),
  base,
  id: 'US-MN@2026-11-21.1',
  importer: importers.sst,
  importedAt: '2026-11-21T00:00:00.000Z',
  tempFolder,
});
if (built.outcome !== 'built' || built.summary.bad.count > 0) throw new Error(JSON.stringify(built.summary));
console.log(
  JSON.stringify({
    seconds: (performance.now() - start) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    parts: built.head.counts.parts,
  }),
);
