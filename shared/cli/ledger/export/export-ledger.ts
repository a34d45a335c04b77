import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from '../../../accounts/account.ts';
import { transactionIds } from '../../../store/ledger/ledger-walk.ts';
import { CommandError } from '../../terminal/errors.ts';
import { statesOfEntries } from '../stray-entries.ts';
import { fileLines } from './file-lines.ts';
import { filingLines, filingsAtRest, filingsState } from './filing-lines.ts';
import { type Counts, format, formatVersion, type Header, type Line, noCounts, Seal, type Trailer } from './format.ts';
import { inOrder } from './in-order.ts';
import { releaseHash } from './releases.ts';
import { transactionLines } from './transaction-lines.ts';
import { listedVersions, Versions } from './unchanged.ts';

const pageSize = 100;
const atOnce = 16;
const looks = 3;
// Customers' addresses are in it.
const ownerOnly = 0o600;

export type Export = {
  readonly account: Account;
  /** Where to; nothing is there yet. */
  readonly out: string;
  readonly nowMs: () => number;
  /** How long the lists may be behind what was written last. */
  readonly pauseMs: number;
  readonly onProgress: (counts: Counts) => void;
};

type Seen = { readonly counts: Counts; readonly releases: Set<string>; readonly states: Set<string> };

/** The lines of an account's ledger; what changes while they are read is found out at the end. */
const ledgerLines = async function* (
  { account: { id: account }, pauseMs }: Export,
  { releases, states }: Seen,
): AsyncGenerator<Line> {
  const filings = await filingsAtRest(account);
  const versions = new Versions();
  for await (const ids of transactionIds(account, pageSize))
    for await (const { stored, lines } of inOrder(ids, atOnce, (id) => transactionLines(account, id))) {
      const { transaction } = stored;
      versions.add(transaction);
      for (const release of Object.values(transaction.content_releases)) releases.add(release);
      for (const { jurisdiction_code } of transaction.tax_summary) states.add(jurisdiction_code.slice(0, 5));
      yield* lines;
    }
  for (const { state } of filings) states.add(state);
  yield* filingLines(account, filings, statesOfEntries(states));
  for (let look = 1; ; look++) {
    const isSame = filingsState(await filingsAtRest(account)) === filingsState(filings);
    if (isSame && (await listedVersions(account)).equals(versions)) return;
    if (look === looks)
      throw new CommandError(
        'The ledger was changed while it was exported. Stop what writes to it, or export from tables that were restored to one point in time.',
      );
    await pause(pauseMs);
  }
};

const headerOf = async ({ account, nowMs }: Export, { counts, releases }: Seen): Promise<Header> => {
  const hashes: Record<string, string> = {};
  for (const release of [...releases].sort()) {
    const hash = await releaseHash(release);
    if (hash === null) throw new CommandError(`The release ${release} is not there, which transactions rest on.`);
    hashes[release] = hash;
  }
  const { id, name, created_at, settings } = account;
  return {
    kind: 'header',
    format,
    format_version: formatVersion,
    account: { id, name, created_at, settings },
    exported_at: new Date(nowMs()).toISOString(),
    counts,
    releases: hashes,
  };
};

const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<void> => {
  const file = await open(path, 'w', ownerOnly);
  try {
    for await (const line of lines) await file.appendFile(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
};

const unsealedLines = async function* (work: Export, seen: Seen): AsyncGenerator<string> {
  for await (const line of ledgerLines(work, seen)) {
    seen.counts[line.kind] += 1;
    work.onProgress(seen.counts);
    yield JSON.stringify(line);
  }
};

const sealedLines = async function* (unsealed: string, header: Header, onTrailer: (trailer: Trailer) => unknown) {
  const seal = new Seal();
  const hash = createHash('sha256');
  let lines = 0;
  const next = (text: string): string => {
    const line = seal.close(text);
    hash.update(`${line}\n`);
    lines += 1;
    return line;
  };
  yield next(JSON.stringify(header));
  for await (const { bytes } of fileLines(unsealed)) yield next(bytes.toString('utf8', 0, bytes.length - 1));
  const trailer: Trailer = { kind: 'trailer', lines, sha256: hash.digest('hex') };
  onTrailer(trailer);
  yield seal.close(JSON.stringify(trailer));
};

/**
 * Export an account's ledger to a file, which appears only when it is complete. Each transaction is read once.
 *
 * The header has the number of lines of each kind, so the lines go to a temporary file first.
 */
export const exportLedger = async (work: Export): Promise<{ readonly header: Header; readonly trailer: Trailer }> => {
  const unsealed = `${work.out}.unsealed`;
  const partial = `${work.out}.partial`;
  const seen: Seen = { counts: noCounts(), releases: new Set(), states: new Set() };
  try {
    await writeLines(unsealed, unsealedLines(work, seen));
    const header = await headerOf(work, seen);
    const trailers: Trailer[] = [];
    await writeLines(
      partial,
      sealedLines(unsealed, header, (last) => trailers.push(last)),
    );
    const [trailer] = trailers;
    if (!trailer) throw new Error('A file ends with its trailer.');
    await rename(partial, work.out);
    return { header, trailer };
  } finally {
    await rm(unsealed, { force: true });
    await rm(partial, { force: true });
  }
};
