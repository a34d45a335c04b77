import { listRegistrations } from '../accounts/account.ts';
import type { Calculation } from '../calculations/response.ts';
import { builtInRelease } from '../catalog/built-in.ts';
import { loadLocalTable, type ZipName } from '../catalog/local/local-table.ts';
import { cityName, placeKey } from '../catalog/local/place-names.ts';
import { averageLocalRate } from '../coverage/local-rates.ts';
import type { Coverage } from '../coverage/response.ts';
import { decimalText, decimal as parseDecimal, rescale } from '../money/decimal.ts';
import type { Rates } from '../rates/response.ts';
import { catalog } from '../vocabulary/catalog.ts';
import { equivalentRow } from '../vocabulary/crosswalk.ts';
import {
  jurisdictionCode,
  stateJurisdiction,
  stateJurisdictions,
  stateName,
  stateOfJurisdiction,
} from '../vocabulary/jurisdiction.ts';
import { general, requireObject, textAt } from './document.ts';
import { decimal } from './numbers.ts';
import { addressParts, hasCode, missing, notFound, TaxJarRefusal } from './refusal.ts';
import { listCodes, type Query, type Request, type TaxJarResponse } from './request.ts';
import { collectsIn, isFreightTaxed, rateText, rateUnits } from './taxes.ts';

/** The routes for places and product tax codes. */

/** Returns the sum of the rates of a level, as text; `0.0` without any. */
const getRate = (rates: Rates['jurisdictions'], type: string): string => {
  const own = rates.filter((one) => one.jurisdiction_type === type);
  const units = own.reduce((sum, { rate }) => sum + rescale(parseDecimal(rate), 6), 0n);
  return units === 0n ? '0.0' : decimalText({ units, scale: 6 });
};

const readRates = async ({ levy, note }: Request, zip: string, fields: Query): Promise<Rates> => {
  const query = Object.fromEntries(
    addressParts.flatMap(([part, name]) => (fields[name] ? [[part, fields[name]] as const] : [])),
  );
  const rates = await levy.get<Rates>('/rates', { ...query, postal_code: zip });
  note(listCodes(rates));
  return rates;
};

/** Whether the shipping of taxed general goods is taxed at an address, in any state. */
const isFreightTaxedAt = async ({ levy }: Request, address: Rates['address']): Promise<boolean> => {
  const line_items = [{ quantity: '1', unit_price: '100.00', product_tax_code: general }];
  const document = { customer: { address }, line_items, shipping: { amount: '10.00' } };
  const calculated = await levy.post<Calculation>('/calculations', document, {
    settings: { registrations: 'all', incomplete_coverage: 'warn', ambiguous_address: 'warn' },
    isProbe: true,
  });
  return isFreightTaxed(calculated);
};

/** Returns the names that the postal service uses in a ZIP, and its main county; `null` if the tables lack the ZIP. */
const findZip = (state: string, zip: string) => {
  const code = stateJurisdiction(state);
  const release = code === null ? undefined : builtInRelease(stateOfJurisdiction(code));
  const table = release?.local ? loadLocalTable(release) : null;
  const entry = table?.zip(zip.slice(0, 5));
  const [[county] = []] = entry?.counties ?? [];
  return table && entry ? { names: entry.names, county: county === undefined ? null : table.countyName(county) } : null;
};

/** Returns the state of an address. A ZIP code has a state, even if none was sent. */
const getState = ({ jurisdictions, address }: Rates): string | null => {
  const code = jurisdictions.find(({ jurisdiction_type }) => jurisdiction_type === 'state')?.jurisdiction_code;
  return code === undefined ? (address.state ?? null) : stateOfJurisdiction(code);
};

export const rates = async (request: Request): Promise<TaxJarResponse> => {
  const zip = request.at[0] ?? '';
  const found = await readRates(request, zip, request.query);
  const country = (request.query['country'] || 'US').toUpperCase();
  // Typed clients read `null` as a rate of zero.
  if (found.combined_rate === null)
    throw new TaxJarRefusal(
      404,
      `Levy does not cover the rates of ${zip} in ${country}. Send a ZIP code of a state, the District of Columbia or Puerto Rico.`,
    );
  const { jurisdictions } = found;
  const getName = (type: string) =>
    jurisdictions.find(({ jurisdiction_type }) => jurisdiction_type === type)?.jurisdiction_name;
  const state = getState(found);
  const known = state === null ? null : findZip(state, zip);
  const city = getName('city') ?? found.address.city ?? known?.names[0]?.spellings[0];
  return {
    body: {
      rate: {
        zip,
        country,
        country_rate: '0.0',
        state,
        state_rate: getRate(jurisdictions, 'state'),
        county: (getName('county') ?? known?.county)?.toUpperCase() ?? null,
        county_rate: getRate(jurisdictions, 'county'),
        city: city?.toUpperCase() ?? null,
        city_rate: getRate(jurisdictions, 'city'),
        combined_district_rate: getRate(jurisdictions, 'district'),
        combined_rate: found.combined_rate,
        freight_taxable: await isFreightTaxedAt(request, found.address),
      },
    },
  };
};

// Lists each code once: a code such as TaxJar's clothing code can be the equivalent of several codes of Levy.
export const categories = async (): Promise<TaxJarResponse> => ({
  body: {
    categories: catalog().flatMap(({ name, description, equivalents }) =>
      equivalents
        .filter(
          (one) => one.system === 'taxjar' && equivalentRow('taxjar', one.code)?.levyCode === one.product_tax_code,
        )
        .map(({ code }) => ({ product_tax_code: code, name, description })),
    ),
  },
});

/** Returns the states where the account collects tax today. */
const listNexus = ({ settings, today }: Request): readonly string[] => {
  const registrations = listRegistrations(settings);
  return stateJurisdictions.map(stateOfJurisdiction).filter((state) => collectsIn(registrations, state, today));
};

export const regions = async (request: Request): Promise<TaxJarResponse> => ({
  body: {
    regions: listNexus(request).map((state) => ({
      country_code: 'US',
      country: 'United States',
      region_code: state,
      region: stateName(state),
    })),
  },
});

/** The states of `listNexus` for the extension for Magento, which collects no tax elsewhere and stores integer ids. */
export const nexusAddresses = async (request: Request): Promise<TaxJarResponse> => ({
  body: {
    addresses: listNexus(request).map((state) => ({
      id: stateJurisdictions.findIndex((code) => stateOfJurisdiction(code) === state) + 1,
      country: 'US',
      state,
      zip: '',
      city: '',
      street: '',
    })),
  },
});

/** Returns the city as sent if the postal service uses it in the ZIP, otherwise the cities that it uses there. */
const listCities = (state: string, zip: string, city: string | null): readonly (string | null)[] => {
  const names = findZip(state, zip)?.names ?? [];
  const isSent = ({ spellings }: ZipName) => spellings.some((name) => placeKey(name) === placeKey(city ?? ''));
  if (names.length === 0 || names.some(isSent)) return [city];
  return names.map(({ spellings: [name = ''] }) => cityName(name));
};

/** Returns the address, or candidates with other cities, from the names that the postal service uses in the ZIP. */
export const validate = async (request: Request): Promise<TaxJarResponse> => {
  const fields = requireObject(request.body);
  const country = (textAt(fields, 'country') ?? 'US').toUpperCase();
  if (country !== 'US')
    throw new TaxJarRefusal(406, `country is ${country}. Send US: Levy validates only US addresses.`);
  const [zip, sent, city, street] = ['zip', 'state', 'city', 'street'].map((name) => textAt(fields, name));
  if (!zip) throw missing('zip');
  const found = await readRates(request, zip, { country, ...(sent && { state: sent }) }).catch((error: unknown) => {
    throw !sent && hasCode(error, 'validation_address_unresolvable') ? notFound('The address') : error;
  });
  const state = sent ?? getState(found);
  if (state === null || listCodes(found).includes('postal_code_unknown')) throw notFound('The address');
  const cities = listCities(state, zip, city ?? null);
  return { body: { addresses: cities.map((one) => ({ zip, street: street ?? null, state, country, city: one })) } };
};

export const summaryRates = async ({ levy }: Request): Promise<TaxJarResponse> => {
  const { states } = await levy.get<Coverage>('/coverage');
  return {
    body: {
      summary_rates: states.flatMap(({ state, name, general_rate }) =>
        general_rate === null
          ? []
          : [
              {
                country_code: 'US',
                country: 'United States',
                region_code: state,
                region: name,
                minimum_rate: { label: 'State Tax', rate: decimal(general_rate.rate) },
                // As in TaxJar, every ZIP code counts once.
                average_rate: {
                  label: 'Tax',
                  rate: rateText(rateUnits(general_rate.rate) + rateUnits(averageLocalRate(jurisdictionCode(state)))),
                },
              },
            ],
      ),
    },
  };
};
