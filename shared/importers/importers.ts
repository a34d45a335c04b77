/** All import formats. To add one, write its folder and add it to this list. */

import { alabama } from './alabama/read.ts';
import { alaska } from './alaska/read.ts';
import { arizona } from './arizona/read.ts';
import { cdtfa } from './cdtfa/read.ts';
import { colorado } from './colorado/read.ts';
import { illinois } from './illinois/read.ts';
import type { Importer } from './importer.ts';
import { louisiana } from './louisiana/read.ts';
import { missouri } from './missouri/read.ts';
import { newMexico } from './new-mexico/read.ts';
import { rules } from './rules/read.ts';
import { sst } from './sst/read.ts';
import { texas } from './texas/read.ts';
import { virginia } from './virginia/read.ts';
import { woocommerce } from './woocommerce/read.ts';
import { zipRates } from './zip-rates/read.ts';

const all = {
  sst,
  'zip-rates': zipRates,
  woocommerce,
  cdtfa,
  texas,
  alabama,
  arizona,
  illinois,
  missouri,
  virginia,
  alaska,
  colorado,
  louisiana,
  'new-mexico': newMexico,
  rules,
} as const;

export type Format = keyof typeof all;

export const importers: Readonly<Record<Format, Importer>> = all;
