/** The jurisdictions of the layers of a location, with the codes of the built-in content. */
import { parse } from 'csv-parse/sync';
import type { Jurisdiction } from '../../release-values.ts';
import type { OwnCodes, OwnPlace } from '../own-codes.ts';
import type { NameTables } from '../sst/layers.ts';

/** Districts that have the same code in every county. */
const statewide: readonly string[] = ['RTD', 'CD'];

/**
 * Gives each layer of a location its jurisdiction. The workbook names a layer by its type alone (`RTA`), and the tables
 * of Levy by type and county (`district:RTA-037`, `county:PSI`): the place's jurisdiction comes first, then its
 * county's outside cities. A type that neither has is a district of the county.
 */
export class ColoradoTaxes {
  private readonly codes: OwnCodes;
  private readonly names: ReadonlyMap<string, string>;

  constructor(codes: OwnCodes, tables: NameTables | undefined) {
    this.codes = codes;
    const rows: readonly Readonly<Record<string, string>>[] = parse(tables?.districts ?? '', { columns: true });
    const own = rows.filter(({ state }) => state === 'CO');
    this.names = new Map(own.map(({ code = '', name = '' }) => [code, name]));
  }

  /** The jurisdiction of a layer, such as `County`, `City` or `MTS`. */
  jurisdiction(type: string, place: OwnPlace): Jurisdiction {
    const { county } = place;
    if (/^(?:county|cnty)$/i.test(type)) return this.codes.countyTax(county);
    if (/^city$/i.test(type)) return this.codes.cityTax(place);
    const kind = type.toUpperCase();
    const found = [...this.codes.partsOf(place), ...this.codes.partsOf({ county, code: '' })].find(
      (part) => part.split(':')[1]?.split('-')[0] === kind,
    );
    const [level = 'district', own = statewide.includes(kind) ? kind : `${kind}-${county}`] = found?.split(':') ?? [];
    const tax = { tax_type: 'sales', kind: own } as const;
    const name = this.names.get(own) ?? `${kind} (${this.codes.countyName(county)})`;
    if (level !== 'county') return { ...tax, code: `US-CO-63-${own}`, name, type: 'district' };
    const ofCounty = this.codes.countyTax(county);
    return { ...ofCounty, ...tax, code: `${ofCounty.code}-${own}`, name: `${ofCounty.name} ${name}` };
  }
}
