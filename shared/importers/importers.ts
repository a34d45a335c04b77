/** All import formats. To add one, write its module and add it to this list. */

import { alabama } from './alabama.ts';
import { alaska } from './alaska.ts';
import { arizona } from './arizona.ts';
import { cdtfa } from './cdtfa.ts';
import { colorado } from './colorado.ts';
import { illinois } from './illinois.ts';
import type { Importer } from './importer.ts';
import { louisiana } from './louisiana.ts';
import { missouri } from './missouri.ts';
import { newMexico } from './new-mexico.ts';
import { rules } from './rules/read.ts';
import { sst } from './sst/read.ts';
import { texas } from './texas.ts';
import { virginia } from './virginia.ts';
import { woocommerce } from './woocommerce/read.ts';
import { zipRates } from './zip-rates.ts';

export const importers = {
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
} satisfies Readonly<Record<string, Importer>>;

export type Format = keyof typeof importers;
