import {
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { readContent } from '../../shared/store/content/content-reads.ts';
import { readContentSource, writeContentSource } from '../../shared/store/content/content-sources.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { partKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { importRelease } from '../support/content.ts';
import { failSends, intercept, lostResponse, noFaults } from '../support/faults.ts';
import { buildHead, buildPart } from '../support/local-content.ts';

const TableName = environment.tables.content;
const now = '2026-11-21T12:00:00.000Z';

// Every test uses different ids and activates releases of a different state.
let counter = 0;
const newId = (state = 'US-MN') => `${state}@2030-01-01.${++counter}`;
const zips = (count: number, first = 55001) => Array.from({ length: count }, (_, index) => String(first + index));
const listParts = (keys: readonly string[]) => keys.map((key) => buildPart(key, { [`US-MN-${key}`]: '0.01' }));

const imported = async (id: string, keys: readonly string[] = []) => {
  const head = buildHead(id);
  expect(await importRelease(head, listParts(keys))).toEqual({ ok: true, value: undefined });
  return head;
};
/** Starts an import. */
const begun = async (id = newId()) => {
  const result = await store.beginImport(id, now);
  if (!result.ok) throw new Error(result.problems[0].detail);
  return result.value;
};
const listCodes = (result: { readonly ok: boolean; readonly problems?: readonly { readonly code: string }[] }) =>
  result.ok ? 'accepted' : (result.problems ?? []).map(({ code }) => code).join();

describe('imported releases', () => {
  it('reads a release back as written, with its parts in the requested order', async () => {
    const id = newId();
    const keys = [...zips(250), 'MINNEAPOLIS', 'ST PAUL'];
    const head = await imported(id, keys);
    expect(await store.findHead(id)).toEqual(head);
    expect(await store.readPartKeys(id)).toEqual([...keys].sort());
    const asked = [...keys].reverse();
    expect(await store.readParts(id, asked)).toEqual(listParts(asked));
    await expect(store.readParts(id, ['55001', '99999'])).rejects.toThrow('no part 99999');
  });

  it('lists the releases of a state, newest last, for any number of releases per day', async () => {
    const ids = ['US-OH@2030-01-01.10', 'US-OH@2030-01-01.9', 'US-OH@2030-02-01.1', 'US-OK@2030-01-01.1'];
    for (const id of ids) await imported(id);
    const listed: string[] = [];
    for await (const { id } of store.listHeads('US-OH')) listed.push(id);
    expect(listed).toEqual(['US-OH@2030-01-01.9', 'US-OH@2030-01-01.10', 'US-OH@2030-02-01.1']);
  });

  it('cannot finish a release with missing or foreign parts', async () => {
    const claim = await begun();
    const head = buildHead(claim.id);
    const written = await store.writeParts(claim, listParts(['55001', '55002']));
    const more = new Map([...written, ['55003', 'digest']] as const);
    const fewer = new Map([...written].filter(([key]) => key === '55001'));
    const other = new Map([...written, ['55001', 'digest']] as const);
    const refused = [];
    for (const others of [more, fewer, other]) refused.push(await store.finishImport(claim, head, others));
    expect(refused.map(listCodes)).toEqual(Array(3).fill('precondition_failed'));
    expect(refused.map((result) => !result.ok && result.problems[0].detail)).toEqual([
      expect.stringContaining('1 are missing, 0 are unexpected, and 0 have different content'),
      expect.stringContaining('0 are missing, 1 are unexpected, and 0 have different content'),
      expect.stringContaining('0 are missing, 0 are unexpected, and 1 have different content'),
    ]);
    expect(await store.findHead(claim.id)).toBeUndefined();
    expect(listCodes(await store.finishImport(claim, head, written))).toBe('accepted');
  });

  it('keeps the first part written under a key, and accepts the same part again', async () => {
    const claim = await begun();
    const part = buildPart('55001', { 'US-MN-Y': '0.01' });
    const digest = await store.writePart(claim, part);
    await expect(store.writePart(claim, buildPart('55001', { 'US-MN-X': '0.5' }))).rejects.toThrow('different part');
    expect(await store.writePart(claim, part)).toBe(digest);
    expect(await store.readPartDigests(claim.id)).toEqual(new Map([['55001', digest]]));
  });

  it('rejects the id of a built-in release and an invalid id', async () => {
    expect(listCodes(await store.beginImport('US-MI@2026-11-22.1', now))).toBe('precondition_failed');
    await expect(store.beginImport('latest', now)).rejects.toThrow('must have a state, a day');
    const claim = await begun();
    const elsewhere = { ...buildHead(claim.id), state: 'US-OH' };
    await expect(store.finishImport(claim, elsewhere, new Map())).rejects.toThrow('must begin with the state');
    await expect(store.finishImport(claim, buildHead(newId()), new Map())).rejects.toThrow('must match the claim');
    expect(await store.findHead('US-MN@2030-01-01.01')).toBeUndefined();
    expect(await store.findHead('../../etc')).toBeUndefined();
  });

  it('stops an import at the first part that cannot be written, without reading all the others', async () => {
    const claim = await begun();
    await store.writePart(claim, buildPart('55005', { 'US-MN-X': '0.5' }));
    let taken = 0;
    const source = async function* () {
      for (const part of listParts(zips(1000))) {
        taken++;
        yield part;
      }
    };
    await expect(store.writeParts(claim, source())).rejects.toThrow('55005');
    expect(taken).toBeLessThan(200);
  });

  it('rejects a part that does not fit into an item', async () => {
    const cities = Array.from({ length: 20_000 }, () => crypto.randomUUID());
    await expect(store.writePart(await begun(), buildPart('55001', {}, { cities }))).rejects.toThrow(
      'bytes compressed',
    );
  });
});

// The emulator returns everything at once, so the SDK middleware leaves keys unprocessed.
afterEach(noFaults);

/** Limits each batch response to this many items; the other keys are unprocessed. */
const responseAtMost = (items: number) => {
  const seen = { sends: 0 };
  intercept(async ({ input, pass }) => {
    const { RequestItems } = input as BatchGetCommandInput;
    const response = await pass();
    seen.sends += 1;
    const output = response.output as BatchGetCommandOutput;
    const Keys = RequestItems?.[TableName]?.Keys ?? [];
    const read = (output.Responses?.[TableName] ?? []).slice(0, items);
    const isRead = (key: Record<string, unknown>) => read.some(({ pk, sk }) => pk === key['pk'] && sk === key['sk']);
    output.Responses = { [TableName]: read };
    output.UnprocessedKeys = { [TableName]: { Keys: Keys.filter((key) => !isRead(key)) } };
    return response;
  });
  return seen;
};

describe('content reads for a calculation', () => {
  it('continues while responses have items, and stops if the database returns none', async () => {
    const id = newId();
    await imported(id, zips(60));
    const names = zips(60).map((key) => ({ release: id, key }));
    const seen = responseAtMost(7);
    const { parts } = await readContent([], names);
    expect(parts.map((part) => part?.value.key)).toEqual(zips(60));
    // Eight responses have 7 items, and the ninth has 4.
    expect(seen.sends).toBe(9);
    noFaults();
    const busy = responseAtMost(0);
    await expect(readContent([], names)).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect(busy.sends).toBeGreaterThan(1);
  });

  it('returns parts in the requested order, even if some are absent or there are more than a hundred', async () => {
    const id = newId();
    await imported(id, zips(150));
    const names = [...zips(150), 'NOWHERE'].map((key) => ({ release: id, key }));
    const { heads, parts } = await readContent([newId(), id], names);
    expect(heads.map((head) => head?.value.id)).toEqual([undefined, id]);
    expect(parts.map((part) => part?.value.key)).toEqual([...zips(150), undefined]);
    expect(parts[0]?.characters).toBe(JSON.stringify(parts[0]?.value).length);
  });

  it('throws if an item is corrupt or does not match its key', async () => {
    const id = newId();
    await imported(id, ['55001', '55002']);
    const [first, second] = [partKey(id, '55001'), partKey(id, '55002')];
    const { Item } = await database.send(new GetCommand({ TableName, Key: first }));
    await database.send(new PutCommand({ TableName, Item: { ...Item, ...second } }));
    const corrupt = (key: string | null) => ({ name: 'ContentCorrupt', release: id, key });
    await expect(readContent([], [{ release: id, key: '55002' }])).rejects.toMatchObject(corrupt('55002'));
    const content = Uint8Array.from(Item?.['content'] as Uint8Array);
    content[content.length - 5] = (content[content.length - 5] ?? 0) ^ 1;
    await database.send(new PutCommand({ TableName, Item: { ...Item, content } }));
    await expect(readContent([], [{ release: id, key: '55001' }])).rejects.toMatchObject(corrupt('55001'));
    await database.send(
      new UpdateCommand({
        TableName,
        Key: releaseHeadKey(id),
        UpdateExpression: 'SET content = :content',
        ExpressionAttributeValues: { ':content': content },
      }),
    );
    await expect(readContent([id], [])).rejects.toMatchObject(corrupt(null));
  });
});

describe('activation', () => {
  it('rejects an unfinished, missing or foreign release without a change', async () => {
    const [half, never, finished] = [newId('US-KS'), newId('US-KS'), newId('US-KY')];
    await store.writeParts(await begun(half), listParts(['55001']));
    await imported(finished);
    const before = await store.readActiveReleases();
    for (const id of [half, never, finished, 'US-KS', 'nonsense'])
      expect(listCodes(await store.activateRelease('US-KS', id, before, now))).toBe('not_found');
    expect(await store.readActiveReleases()).toEqual(before);
  });

  it('activates one of two releases that are activated concurrently: the second command must list the releases again', async () => {
    const ids = [newId('US-LA'), newId('US-ME'), newId('US-MD'), newId('US-MA')];
    for (const id of ids) await imported(id);
    const seen = await store.readActiveReleases();
    const results = await Promise.all(ids.map((id) => store.activateRelease(id.slice(0, 5), id, seen, now)));
    expect(results.map(listCodes).sort()).toEqual([
      'accepted',
      'precondition_failed',
      'precondition_failed',
      'precondition_failed',
    ]);
    const active = await store.readActiveReleases();
    expect(active.version).toBe(seen.version + 1);
    expect(ids.filter((id) => active.states[id.slice(0, 5)])).toEqual(ids.filter((_, index) => results[index]?.ok));
  });

  it('activates a release once if the responses are lost and the operator repeats the command', async () => {
    const [first, second] = [newId('US-IN'), newId('US-IN')];
    for (const id of [first, second]) await imported(id);
    const loseResponses = (sends: number) => failSends({ sends, error: lostResponse, where: 'on the way back' });
    const activate = async (id: string) => store.activateRelease('US-IN', id, await store.readActiveReleases(), now);
    const seen = await store.readActiveReleases();
    loseResponses(2);
    expect((await store.activateRelease('US-IN', first, seen, now)).ok).toBe(true);
    noFaults();
    const before = await store.readActiveReleases();
    loseResponses(3);
    await expect(store.activateRelease('US-IN', second, before, now)).rejects.toMatchObject({ name: 'TimeoutError' });
    noFaults();
    expect((await activate(second)).ok).toBe(true);
    // The history lists the release once, although it was activated twice.
    const previous = [{ release: first, activated_at: now }];
    expect((await store.readActiveReleases()).states['US-IN']).toEqual({
      release: second,
      activated_at: now,
      previous,
    });
  });
});

describe('the record of a state', () => {
  it('writes the record once if the response is lost, and still refuses a concurrent change', async () => {
    const { version } = await readContentSource('ND');
    const loseResponse = () => failSends({ sends: 1, error: lostResponse, where: 'on the way back', of: ['PutItem'] });
    const write = async (announced: string, seen: Awaited<ReturnType<typeof readContentSource>>) => {
      const lost = loseResponse();
      const result = await writeContentSource({ ...seen, announced });
      noFaults();
      expect(lost.sends).toBe(2);
      return result;
    };
    const first = await write('evt_1', await readContentSource('ND'));
    expect(first).toMatchObject({ ok: true, value: { announced: 'evt_1', version: version + 1 } });
    const seen = await readContentSource('ND');
    expect(seen).toMatchObject({ announced: 'evt_1', version: version + 1 });
    expect(await write('evt_2', seen)).toMatchObject({ ok: true, value: { announced: 'evt_2', version: version + 2 } });
    // Another update read the same version, and writes something else.
    expect(listCodes(await write('evt_3', seen))).toBe('precondition_failed');
    expect(await readContentSource('ND')).toMatchObject({ announced: 'evt_2', version: version + 2 });
  });
});
