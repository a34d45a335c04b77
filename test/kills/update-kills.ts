/**
 * `npm run update-kills`: kills `content update --activate` at random requests, and checks the remaining state. After
 * each kill, the active releases must be complete, and a second run must end like an undisturbed run, without temporary
 * folders.
 *
 *   --kills N   how many (200); every fifth is Ctrl-C instead of SIGKILL
 *   --seed N    another series of kills (1)
 */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { headFrom, partFrom } from '../../shared/store/content/content-item.ts';
import { activeReleasesKey, contentSourceKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { breakingProxy } from '../support/breaking-proxy.ts';
import { collectOutput, root } from '../support/child-process.ts';
import { openPublisherServer, smallFiles } from '../support/publisher-server.ts';
import { readNumber, seeded } from '../support/seeded.ts';

/**
 * A database and publishers for commands that are killed. They count the command's requests, so a kill can be timed.
 */

type Item = Readonly<Record<string, any>>;

const TableName = 'content';

/** Starts an empty database and the publishers of some Streamlined states, and configures this process to use them. */
const startWorld = async (states: readonly string[]) => {
  let onRequest: () => undefined = () => undefined;
  const emulator = await startEmulator();
  Object.assign(process.env, emulatorEnvironment(emulator));
  const publishers = await openPublisherServer(states);
  publishers.play('', () => {
    onRequest();
    return false;
  });
  const proxy = await breakingProxy(emulator.endpoint, { there: () => onRequest() });
  const { scannedItems } = await import('../support/raw-items.ts');
  const { database } = await import('../../shared/store/client/client.ts');

  const items = () => scannedItems(TableName);
  /** Replaces the content of the table. */
  const restore = async (saved: readonly Item[]): Promise<void> => {
    for (const { pk, sk } of await items()) await database.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    for (const Item of saved) await database.send(new PutCommand({ TableName, Item }));
  };
  return {
    publishers,
    /** The database URL for commands. */
    endpoint: proxy.url,
    items,
    restore,
    /** Calls a function for each further request of a command. */
    watch: (watcher: () => void) => {
      onRequest = () => void watcher();
    },
    stop: async () => {
      proxy.close();
      await publishers.close();
      await emulator.stop();
    },
  };
};

/** Returns the state of the content table, without the ids and times that differ between runs. */

type Source = {
  readonly files: unknown;
  readonly release: string;
  readonly activated: boolean;
  readonly failure: unknown;
};

const stateContent = (items: readonly Item[], state: string, active: string) => {
  const find = ({ pk, sk }: { readonly pk: string; readonly sk: string }) =>
    items.find((item) => item['pk'] === pk && item['sk'] === sk);
  const {
    id: _id,
    content_hash: _hash,
    imported_at: _at,
    ...head
  } = headFrom(active, find(releaseHeadKey(active))).value;
  const own = items.filter(({ pk }) => pk.startsWith(`P#${active}#`));
  const parts = own.map((item) => [item['sk'], partFrom({ release: active, key: item['sk'] }, item).value] as const);
  const { files, release, activated, failure } = find(contentSourceKey(state)) as Source;
  return {
    head,
    parts: Object.fromEntries(parts.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    source: { files, activated, failure, isActive: release === active },
    // The number of finished releases of the state.
    releases: items.filter(({ pk, sk }) => pk === `R#US-${state}` && !sk.startsWith('C#')).length,
  };
};

/** Returns the active release of each state. */
const getActive = (items: readonly Item[]): Record<string, { readonly release: string }> =>
  JSON.parse(items.find(({ pk }) => pk === activeReleasesKey.pk)?.['states'] ?? '{}');

/** Returns the state of a table after an update of these states. */
const getEndState = (items: readonly Item[], states: readonly string[]) => {
  const active = getActive(items);
  return {
    content: Object.fromEntries(
      states.map((state) => [state, stateContent(items, state, active[`US-${state}`]?.release ?? '')]),
    ),
    // The claims of unfinished imports.
    unfinished: items.filter(({ pk, sk }) => pk.startsWith('R#') && sk.startsWith('C#')).length,
  };
};

/** Counts the states that use a different release than in an earlier table. */
const activatedSince = (items: readonly Item[], before: readonly Item[]): number => {
  const [now, then] = [getActive(items), getActive(before)];
  return Object.keys(now).filter((state) => now[state]?.release !== then[state]?.release).length;
};

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const [kills, seed] = [readNumber('kills', values.kills), readNumber('seed', values.seed)];
const states = ['KS', 'NE', 'OK'];
/** The maximum delay of a kill after its request, so work between requests is also interrupted. */
const delayMs = 40;

const world = await startWorld(states);
// Imported after startWorld, because these modules read the database URL when they are loaded.
const { temporaryFolder } = await import('../../shared/cli/terminal/files.ts');
const { verifyRelease } = await import('../../shared/cli/content/verify.ts');
const { findHead, readActiveReleases } = await import('../../shared/store/content/content-store.ts');
const { gates } = await import('../../shared/importers/releases/gates.ts');
const folder = temporaryFolder();

/** Runs `content update`, optionally with a file size limit in blocks. `onRequest` can kill it. */
const update = async (onRequest: (kill: (signal: NodeJS.Signals) => void) => void, blocks?: number) => {
  const names = gates.map(({ name }) => name).join();
  const words = ['shared/cli/content.ts', 'update', '--state', states.join(), '--activate', '--override', names];
  const command = [process.execPath, ...words, '--mirror', world.publishers.url];
  const limited = blocks === undefined ? command : ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`, ...command];
  const env = {
    ...process.env,
    DYNAMODB_ENDPOINT: world.endpoint,
    TMPDIR: folder,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/levy/compiled'),
  };
  const child = spawn(limited[0] as string, limited.slice(1), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  world.watch(() => onRequest((signal) => child.kill(signal)));
  const { code, signal, out, err } = await collectOutput(child);
  world.watch(() => {});
  return { code, signal, out: err + out };
};

const fail = (what: string, ...details: readonly unknown[]): never => {
  console.error(what);
  for (const detail of details) console.error(typeof detail === 'string' ? detail : JSON.stringify(detail, null, 1));
  process.exit(1);
};

const undisturbed = async () => {
  let requests = 0;
  const ran = await update(() => {
    requests += 1;
  });
  if (ran.code !== 0) fail(`An undisturbed run exits with ${ran.code}.`, ran.out);
  return requests;
};

/** Fails unless all active releases and the releases below them are complete. */
const requireWhole = async (when: string): Promise<void> => {
  const { states: directory } = await readActiveReleases();
  for (const { release } of Object.values(directory)) {
    if (release === null) continue;
    for (const id of [release, ...((await findHead(release))?.chain ?? [])])
      await verifyRelease(
        id,
        (problem) => fail(`${when}: ${problem.message}`),
        () => {},
      );
  }
};

const leftFolders = async () => (await readdir(folder)).filter((name) => name.startsWith('levy-import-'));

const publish = (quarter: string, rate: string): void => {
  for (const state of states) world.publishers.publish(smallFiles(state, { rate, quarter }));
};

// The update is to the next quarter, over active releases of the previous quarter.
publish('2026Q4', '0.005');
await undisturbed();
publish('2027Q1', '0.006');
const start = await world.items();
const requests = await undisturbed();
const expected = getEndState(await world.items(), states);
if (
  !isDeepStrictEqual(
    Object.values(expected.content).map(({ releases }) => releases),
    states.map(() => 2),
  )
)
  fail('The undisturbed run did not make one release for each state.', expected);
console.log(`An undisturbed run makes ${requests} requests.`);

/** Runs the update again after a disturbance, and compares the result. */
const requireEnd = async (when: string): Promise<void> => {
  await requireWhole(when);
  const again = await update(() => {});
  if (again.code !== 0) fail(`${when}: the second run exits with ${again.code}.`, again.out);
  const { content } = getEndState(await world.items(), states);
  if (!isDeepStrictEqual(content, expected.content))
    fail(`${when}: the second run ends otherwise.`, content, expected.content);
  await requireWhole(`${when}, then a second run`);
  const left = await leftFolders();
  if (left.length > 0) fail(`${when}: the second run left ${left.join(', ')}.`);
};

const counts = { killed: 0, interrupted: 0, endedBefore: 0, activated: 0, unfinished: 0, folders: 0 };
const random = seeded(seed);
for (let kill = 1; kill <= kills; kill += 1) {
  const [at, delay] = [1 + Math.floor(random() * requests), random() * delayMs];
  const signal = kill % 5 === 0 ? 'SIGINT' : 'SIGKILL';
  const when = `Kill ${kill}: ${signal} ${delay.toFixed(0)} ms after request ${at}`;
  await world.restore(start);
  let seen = 0;
  const ran = await update((send) => {
    seen += 1;
    if (seen === at) setTimeout(send, delay, signal);
  });
  const items = await world.items();
  counts.activated += activatedSince(items, start);
  if (ran.signal === 'SIGKILL') counts.killed += 1;
  else if (ran.code === 130) counts.interrupted += 1;
  // Ctrl-C arrived after the last line, when the process no longer handles signals.
  else if (ran.code === 0 || (ran.signal === 'SIGINT' && / 0 failed\.\s*$/.test(ran.out))) counts.endedBefore += 1;
  else fail(`${when}: the run exits with ${ran.code}.`, ran.out);
  const left = await leftFolders();
  if (left.length > 0 && ran.signal !== 'SIGKILL') fail(`${when}: the run left ${left.join(', ')}.`);
  counts.folders += left.length;
  counts.unfinished += getEndState(items, states).unfinished;
  await requireEnd(when);
  if (kill % 10 === 0) console.log(`${kill} of ${kills}: ${JSON.stringify(counts)}`);
}

// Simulates a full disk: files are limited to some blocks of 512 bytes.
for (const blocks of [0, 1]) {
  await world.restore(start);
  const ran = await update(() => {}, blocks);
  if (ran.code !== 1 || !/ENOSPC|EFBIG/.test(ran.out))
    fail(`A full disk of ${blocks} blocks: exit ${ran.code}.`, ran.out);
  await requireEnd(`A full disk of ${blocks} blocks`);
}
console.log(
  `${kills} kills and 2 full disks: all active releases were whole, and every second run ended as an undisturbed one.`,
);
console.log(JSON.stringify(counts));
await world.stop();
process.exit();
