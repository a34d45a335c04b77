import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundle } from '../../infra/bundling.ts';
import { synthesize, synthesizeAnew } from './synthesized.ts';

const [one, other] = [synthesize(), synthesizeAnew()];
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Every file of a folder, with its bytes. */
const filesOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));

it('is the same template each time, so that an unchanged checkout changes nothing', () => {
  expect(other.outdir).not.toBe(one.outdir);
  expect(other.template).toEqual(one.template);
});

it('holds no path of the machine and no time that it was made at', () => {
  const text = JSON.stringify(one.template);
  for (const folder of [root, one.outdir, tmpdir(), homedir()])
    if (folder.length > 1) expect(text).not.toContain(`${folder}/`);
  const year = new Date().getUTCFullYear();
  expect(text).not.toMatch(new RegExp(`${year}-\\d\\d-\\d\\dT\\d\\d:`));
});

it('builds the same code wherever it is built to', () => {
  const near = mkdtempSync(join(tmpdir(), 'levy-bundle-'));
  const far = mkdtempSync(join(mkdtempSync(join(tmpdir(), 'levy-bundle-')), 'deeper-'));
  for (const folder of [near, far]) bundle('create-calculation', folder);
  expect(filesOf(far)).toEqual(filesOf(near));
  for (const [name, bytes] of Object.entries(filesOf(near)))
    expect([name, Buffer.from(bytes, 'base64').includes(root)]).toEqual([name, false]);
});
