import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { contentHash } from '../../shared/importers/build.ts';
import { beginWriting } from '../../shared/importers/releases/import-files.ts';
import { database } from '../../shared/store/client/client.ts';
import { claimItem } from '../../shared/store/content/content-claims.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { importRelease } from '../support/content.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { buildHead, buildPart } from '../support/local-content.ts';

const now = '2030-01-01T12:00:00.000Z';
// Every test uses different ids.
let counter = 100;
const newId = (state = 'US-MN') => `${state}@2030-01-01.${++counter}`;
const zips = (count: number, first = 55001) => Array.from({ length: count }, (_, index) => String(first + index));
const listParts = (keys: readonly string[], rate = '0.01') => keys.map((key) => buildPart(key, { 'US-MN-A': rate }));
const ours = listParts(zips(20));
const theirs = listParts(zips(20, 56001), '0.02');

const begun = async (id: string) => {
  const result = await store.beginImport(id, now);
  if (!result.ok) throw new Error(result.problems[0].detail);
  return result.value;
};
/** Begins an import and writes its parts. */
const writing = async () => {
  const id = newId();
  const claim = await begun(id);
  return { id, claim, written: await store.writeParts(claim, ours) };
};
type Outcome = {
  readonly ok: boolean;
  readonly problems?: readonly { readonly code: string; readonly detail: string }[];
};
const getCode = ({ ok, problems }: Outcome) => (ok ? 'accepted' : problems?.[0]?.code);
const getDetail = ({ problems }: Outcome) => problems?.[0]?.detail;
const wasDiscarded = (id: string) => ({
  ok: false,
  problems: [expect.objectContaining({ detail: expect.stringContaining(`${id} was discarded while`) })],
});
/** Returns whether a release is finished, and its parts. */
const buildState = async (id: string) => ({
  finished: (await store.findHead(id)) !== undefined,
  parts: await store.readPartKeys(id),
});
const nothing = { finished: false, parts: [] };
const unfinished = async (state = 'US-MN') => (await store.unfinishedImports(state)).map(({ id }) => id);

type Command = 'TransactWriteItems' | 'UpdateItem' | 'PutItem' | 'DeleteItem';
afterEach(noFaults);

/** Runs this before the next command of a kind is sent. Commands of `run` pass unchanged. */
const beforeNext = (command: Command, run: () => Promise<unknown>) => {
  let waits = true;
  intercept(async ({ command: sent, pass }) => {
    if (waits && sent === command) {
      waits = false;
      await run();
    }
    return pass();
  });
};

describe('ids of imports', () => {
  it('gives each of several concurrent imports its own id', async () => {
    const id = newId();
    const begun = await Promise.all(Array.from({ length: 8 }, () => store.beginImport(id, now)));
    expect(begun.map(getCode).sort()).toEqual(['accepted', ...Array(7).fill('precondition_failed')]);
  });

  it('does not reuse an id, whether its import is running, finished or discarded', async () => {
    const [running, finished, discarded] = [newId(), newId(), newId()];
    await begun(running);
    await importRelease(buildHead(finished), ours);
    await begun(discarded);
    expect(await store.discardImport(discarded)).toEqual({ ok: true, value: 0 });
    for (const id of [running, finished, discarded]) {
      const again = await store.beginImport(id, now);
      expect(getCode(again)).toBe('precondition_failed');
      expect(getDetail(again)).toContain('it gets a new id');
    }
    expect(await store.takenIds('US-MN')).toEqual(expect.arrayContaining([running, finished, discarded]));
  });

  it('does not reuse an id if another import finishes between the read of the ids and the claim', async () => {
    const id = newId();
    beforeNext('TransactWriteItems', () => importRelease(buildHead(id), theirs));
    expect(getCode(await store.beginImport(id, now))).toBe('precondition_failed');
    expect(await buildState(id)).toEqual({ finished: true, parts: theirs.map(({ key }) => key) });
    expect(await unfinished()).not.toContain(id);
  });

  it('claims the next free id, with its hash, if another import takes the first one while files are read', async () => {
    const [taken, next] = [newId('US-WI'), newId('US-WI')];
    await begun(taken);
    const parts = async function* () {
      yield* ours;
    };
    const hashed = { ...buildHead(taken), imported_at: now, content_hash: await contentHash(buildHead(taken), ours) };
    const { claim, head } = await beginWriting(hashed, parts);
    expect(claim.id).toBe(next);
    expect(head).toEqual({ ...hashed, id: next, content_hash: await contentHash({ ...hashed, id: next }, ours) });
    expect(head.content_hash).not.toBe(hashed.content_hash);
    const free = newId('US-WI');
    expect((await beginWriting({ ...hashed, id: free }, parts)).head).toEqual({ ...hashed, id: free });
  });
});

describe('finished imports', () => {
  it('lists an import as unfinished until its end, with its start', async () => {
    const [first, second] = [newId('US-IL'), newId('US-IL')];
    const claim = await begun(second);
    await store.beginImport(first, '2029-12-31T08:00:00.000Z');
    expect(await store.unfinishedImports('US-IL')).toEqual([
      { id: first, began_at: '2029-12-31T08:00:00.000Z' },
      { id: second, began_at: now },
    ]);
    expect(await Array.fromAsync(store.listHeads('US-IL'))).toEqual([]);
    await store.finishImport(claim, buildHead(second), await store.writeParts(claim, ours));
    expect(await unfinished('US-IL')).toEqual([first]);
    expect(await Array.fromAsync(store.listHeads('US-IL'), ({ id }) => id)).toEqual([second]);
    expect(await store.takenIds('US-IL')).toEqual([second, first]);
  });

  it("stores only the import's own parts if another import runs concurrently", async () => {
    const [a, b] = [newId(), newId()];
    const heads = [importRelease(buildHead(a), ours), importRelease(buildHead(b), theirs)];
    expect((await Promise.all(heads)).map(getCode)).toEqual(['accepted', 'accepted']);
    expect(await buildState(a)).toEqual({ finished: true, parts: ours.map(({ key }) => key) });
    expect(await buildState(b)).toEqual({ finished: true, parts: theirs.map(({ key }) => key) });
  });

  it('finishes an import once, by the process that started it', async () => {
    const { id, claim, written } = await writing();
    await expect(store.finishImport({ id, run: 'another' }, buildHead(id), written)).rejects.toThrow(
      'different import',
    );
    expect(await store.findHead(id)).toBeUndefined();
    expect(getCode(await store.finishImport(claim, buildHead(id), written))).toBe('accepted');
    const changed = { ...buildHead(id), content_hash: 'other' };
    await expect(store.finishImport(claim, changed, written)).rejects.toThrow('already finished');
    // Restoring the claim has no effect.
    await database.send(new PutCommand({ TableName: environment.tables.content, Item: claimItem(claim, now) }));
    await expect(store.finishImport(claim, changed, written)).rejects.toThrow('a head and a claim');
    expect(await store.findHead(id)).toEqual(buildHead(id));
    expect(await buildState(id)).toEqual({ finished: true, parts: ours.map(({ key }) => key) });
  });
});

describe('discarded imports', () => {
  it('removes parts that the import wrote after the discard, and no parts of other imports', async () => {
    const [id, another] = [newId(), newId()];
    await importRelease(buildHead(another), theirs);
    const claim = await begun(id);
    // Of sixteen concurrent writes, the first one waits for the discard. The other writes store their parts.
    beforeNext('PutItem', () => store.discardImport(id));
    const written = await store.writeParts(claim, ours);
    expect((await buildState(id)).parts.length).toBeGreaterThan(0);
    expect(await store.finishImport(claim, buildHead(id), written)).toEqual(wasDiscarded(id));
    expect(await buildState(id)).toEqual(nothing);
    expect(await buildState(another)).toEqual({ finished: true, parts: theirs.map(({ key }) => key) });
  });

  it('fails the import even if the discard happens between the comparison of its parts and the write of its head', async () => {
    const { id, claim, written } = await writing();
    beforeNext('TransactWriteItems', () => store.discardImport(id));
    expect(await store.finishImport(claim, buildHead(id), written)).toEqual(wasDiscarded(id));
    expect(await buildState(id)).toEqual(nothing);
  });

  it('cannot finish an import after the discard removes parts', async () => {
    const { id, claim, written } = await writing();
    let ended: unknown;
    beforeNext('DeleteItem', async () => {
      ended = await store.finishImport(claim, buildHead(id), written);
    });
    expect(getCode(await store.discardImport(id))).toBe('accepted');
    expect(ended).toEqual(wasDiscarded(id));
    expect(await buildState(id)).toEqual(nothing);
  });

  it('keeps the parts of an import that finishes first', async () => {
    const { id, claim, written } = await writing();
    let ended: Outcome | undefined;
    beforeNext('UpdateItem', async () => {
      ended = await store.finishImport(claim, buildHead(id), written);
    });
    expect(getCode(await store.discardImport(id))).toBe('not_found');
    expect(ended).toEqual({ ok: true, value: undefined });
    expect(await buildState(id)).toEqual({ finished: true, parts: ours.map(({ key }) => key) });
    expect(await unfinished()).not.toContain(id);
  });

  it('still lists an import after an interrupted discard, cannot finish it, and can discard it again', async () => {
    const { id, claim, written } = await writing();
    beforeNext('DeleteItem', () => Promise.reject(new Error('killed')));
    await expect(store.discardImport(id)).rejects.toThrow('killed');
    expect(await unfinished()).toContain(id);
    expect((await buildState(id)).parts.length).toBeGreaterThan(0);
    // All parts exist, so only the missing claim prevents the import from finishing.
    await store.writeParts(claim, ours);
    expect(getCode(await store.beginImport(id, now))).toBe('precondition_failed');
    expect(await store.finishImport(claim, buildHead(id), written)).toEqual(wasDiscarded(id));
    expect(getCode(await store.discardImport(id))).toBe('accepted');
    expect(await unfinished()).not.toContain(id);
    expect(await buildState(id)).toEqual(nothing);
  });

  it('leaves parts of an import that is killed after the discard, and removes them in a second discard', async () => {
    const id = newId();
    const claim = await begun(id);
    await store.discardImport(id);
    await store.writeParts(claim, ours);
    expect(getCode(await store.beginImport(id, now))).toBe('precondition_failed');
    expect(await store.discardImport(id)).toEqual({ ok: true, value: 20 });
    expect(await buildState(id)).toEqual(nothing);
  });

  it('accepts two concurrent discards of one import', async () => {
    const id = newId();
    const claim = await begun(id);
    await store.writeParts(claim, listParts(zips(250)));
    const discards = await Promise.all([store.discardImport(id), store.discardImport(id)]);
    expect(discards.map(getCode)).toEqual(['accepted', 'accepted']);
    expect(await buildState(id)).toEqual(nothing);
    expect(await unfinished()).not.toContain(id);
  });

  it('cannot discard a finished or unknown import', async () => {
    const finished = newId();
    await importRelease(buildHead(finished), ours);
    for (const id of [finished, newId(), 'US-MN@2026-11-22.1', 'latest'])
      expect(getCode(await store.discardImport(id))).toBe('not_found');
    expect(await buildState(finished)).toEqual({ finished: true, parts: ours.map(({ key }) => key) });
    expect(await unfinished()).not.toContain(finished);
  });
});
