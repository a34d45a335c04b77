import { describe, expect, it } from 'vitest';
import { openTable } from '../../shared/importers/files/rows.ts';
import { withFiles, zipped } from '../fixtures/imports/harness.ts';

const content = 'a,b\n'.repeat(50_000);

/** A ZIP file whose directory has another size than its content (APPNOTE.TXT, 4.3.12). */
const saying = (size: number): Buffer => {
  const zip = zipped([{ name: 'rates.csv', content }]);
  const entry = zip.indexOf('PK\u0001\u0002', 'latin1');
  zip.writeUInt32LE(size, entry + 24);
  return zip;
};

const rowsOf = (zip: Buffer): Promise<number> =>
  withFiles([{ name: 'rates.zip', content: zip }], async ([path = '']) => {
    let rows = 0;
    for await (const _ of (await openTable(path)).rows) rows += 1;
    return rows;
  });

describe('a ZIP file that is made to do harm', () => {
  it('is read if the declared size is right', async () => {
    expect(await rowsOf(saying(content.length))).toBe(50_000);
  });

  it('is refused by its declared size, before anything is unpacked', async () => {
    await expect(rowsOf(saying(3 * 2 ** 30))).rejects.toThrow('rates.zip packs more than 2 GiB');
  });

  it('is refused if it unpacks to far more than its size', async () => {
    const bomb = zipped([{ name: 'rates.csv', content: 'a,b\n'.repeat(10_000_000) }]);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(rowsOf(bomb)).rejects.toThrow('unpacks to more than 100 times its size');
  });

  it('is refused if it unpacks to more than its declared size', async () => {
    await expect(rowsOf(saying(1000))).rejects.toThrow(/too many bytes/);
  });

  it('is refused if it packs thousands of files, before any is read', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `${index}.csv`, content: '' }));
    await expect(rowsOf(zipped(many))).rejects.toThrow('packs 1001 files');
  });

  it('of one endless line ends with that line', async () => {
    const bomb = zipped([{ name: 'rates.csv', content: 'x'.repeat(8_000_000) }]);
    expect(bomb.length).toBeLessThan(20_000);
    await expect(rowsOf(bomb)).rejects.toThrow(/a line of more than \d+ bytes/);
  });
});
