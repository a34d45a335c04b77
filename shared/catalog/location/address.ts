import * as z from 'zod/mini';
import { component, described } from '../../base/described.ts';
import { accept, type Result, refuse } from '../../base/result.ts';
import { closest } from '../../vocabulary/closest.ts';
import {
  normalizedState,
  stateCode,
  stateJurisdictions,
  stateName,
  stateOfJurisdiction,
} from '../../vocabulary/jurisdiction.ts';
import { cityName } from '../local/place-names.ts';
import { statesOfZip } from './zip-states.ts';

const text = z.nullish(z.string('Send a string.').check(z.maxLength(500, 'Send at most 500 characters.')));

// A ZIP code sent as a number loses its leading zero.
const zip = z.nullish(
  z.string('Send a string, such as "02108".').check(z.maxLength(500, 'Send at most 500 characters.')),
);

/** Returns the first five digits of a postal code; `null` if it does not begin with five digits. */
export const fiveDigitZip = (postalCode: string): string | null => /^\s*(\d{5})/.exec(postalCode)?.[1] ?? null;

/** A postal address as sent in a request. */
export const PostalAddress = component(
  'PostalAddress',
  'A postal address. In the United States, it has at least a state or a ZIP code.',
  {
    line1: described(
      text,
      'House number and street, as in `150 N Main St Apt 4`. It is used in ZIP codes for which the tax content has street addresses. Also send `postal_code`.',
    ),
    city: described(text, 'City.'),
    county: described(text, 'County. It selects one of the counties that a ZIP code spans.'),
    state: described(text, 'State: its two-letter code or its name.'),
    postal_code: described(zip, 'ZIP code. ZIP+4 is more precise.'),
    country: described(text, 'ISO 3166 two-letter code. Default: `US`.'),
  },
  'Send an object.',
);
export type PostalAddress = z.infer<typeof PostalAddress>;

/** Abbreviations of states that are neither postal codes nor the beginning of a name, in upper case. */
const abbreviations: Readonly<Record<string, string>> = {
  USVI: 'VI',
  'US VI': 'VI',
  SAMOA: 'AS',
  CNMI: 'MP',
  NMI: 'MP',
  SAIPAN: 'MP',
  'MARIANA ISLANDS': 'MP',
  FSM: 'FM',
  MICRONESIA: 'FM',
  RMI: 'MH',
  FLA: 'FL',
  PENNA: 'PA',
};

const namesByCode = stateJurisdictions
  .map(stateOfJurisdiction)
  .map((code) => [normalizedState(stateName(code)), code] as const);
const beginningMin = 4;

/** Returns the two-letter code that a misspelled or abbreviated state most likely means; `null` if unclear. */
const stateHint = (text: string): string | null => {
  const name = normalizedState(text);
  const known = abbreviations[name];
  if (known !== undefined) return known;
  const begun = name.length < beginningMin ? [] : namesByCode.filter(([full]) => full.startsWith(name));
  const [only] = begun;
  if (only && begun.length === 1) return only[1];
  const close = closest(
    name,
    namesByCode.map(([full]) => full),
    2,
  );
  return namesByCode.find(([full]) => full === close)?.[1] ?? null;
};

/** The parts of an address that determine tax. */
export type TaxAddress = {
  /** ISO 3166 alpha-2, upper case. */
  readonly country: string;
  /**
   * Two letters; `null` outside the United States. With `isStateGuessed`, the first of several states until a place is
   * chosen.
   */
  readonly state: string | null;
  readonly zip5: string | null;
  /** The four digits of a ZIP+4. */
  readonly plus4: string | null;
  /** Upper case, without punctuation, as in locations. */
  readonly city: string | null;
  /** The county as sent. It is used if a ZIP spans counties. */
  readonly county: string | null;
  /** House number and street as sent. Set only with a ZIP, because streets are looked up by ZIP. */
  readonly line1?: string;
  /** Whether the postal service uses the ZIP. */
  readonly isZipKnown: boolean;
  /** Whether no state was sent and the ZIP is in several states. */
  readonly isStateGuessed: boolean;
};

const stateAdvice = (text: string): string => {
  const code = /^US[- ]([A-Z]{2})$/i.exec(text)?.[1];
  const state = code === undefined ? null : stateCode(code);
  if (state !== null) return `Send ${state} instead of ${text}.`;
  if (/^(APO|FPO|DPO)$/i.test(text)) return `${text} is not a state. Send AA, AE or AP, and ${text} as the city.`;
  const hint = stateHint(text);
  if (hint !== null) return `${JSON.stringify(text)} is not a state. Send ${hint} for ${stateName(hint)}.`;
  return `${JSON.stringify(text)} is not a state. Send a two-letter state code such as MI, or the name of the state.`;
};

/** Returns what to send instead of a malformed ZIP. Spreadsheets drop the leading zeros of ZIPs in the Northeast. */
const zipAdvice = (text: string, state: string | null): string => {
  const [, lost] = /^(\d{3,4})(?:-\d{4})?$/.exec(text) ?? [];
  if (lost === undefined)
    return `You sent ${JSON.stringify(text)}. Send a ZIP code of five digits, or ZIP+4: 48933-1514.`;
  const padded = lost.padStart(5, '0');
  const states = statesOfZip(padded);
  const isLost = state === null ? states.length > 0 : states.includes(state);
  return isLost
    ? `Send ${padded} instead of ${text}: a ZIP code has five digits, and the leading zero is missing.`
    : `${text} has ${lost.length === 4 ? 'four' : 'three'} digits. Send five digits, or ZIP+4.`;
};

const unresolvable = (pointer: string, detail: string): Result<never> =>
  refuse({ code: 'validation_address_unresolvable', title: 'Address cannot be resolved', detail, source: { pointer } });

const abroad = {
  state: null,
  zip5: null,
  plus4: null,
  county: null,
  isZipKnown: false,
  isStateGuessed: false,
} as const;

// The five digits, and the four digits of a ZIP+4.
const zipPattern = /^(\d{5})(?:-?(\d{4}))?$/;

// Puerto Rico and the territories have separate ISO country codes, but the postal service treats them as states.
const territories = new Set(['PR', 'GU', 'VI', 'AS', 'MP']);

const unitedStates = new Set(['US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA']);

/** Returns the country in upper case. A territory sent by name becomes its code. */
const readCountry = ({ country }: PostalAddress): string => {
  const sent = country?.trim() || 'US';
  const text = sent === 'US' ? sent : normalizedState(sent);
  // A two-letter country is a country code, not a state: CA is Canada.
  const named = text.length === 2 ? text : (stateCode(text) ?? text);
  return territories.has(named) ? named : text;
};

const isForeign = (country: string): boolean => !unitedStates.has(country) && !territories.has(country);

/** Returns whether an address is outside the United States and its territories. Such addresses are not validated. */
export const isAbroad = (address: PostalAddress): boolean => isForeign(readCountry(address));

/** Whether a text is a two-letter code that names a region. */
const isCountryCode = (text: string): boolean =>
  /^[A-Z]{2}$/.test(text) && new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(text) !== undefined;

/**
 * Returns the problem of an address whose ZIP is in its state, but whose country is not a country code, such as `UAS`.
 * As a foreign address, it would be charged no sales tax. A two-letter code is accepted: 38122 is in Tennessee and in
 * the province TN of Italy. A name or a three-letter code, such as Italy, is refused, because the address could be in
 * either country.
 */
const countryProblem = (address: PostalAddress, country: string, pointer: string) => {
  const zip5 = zipPattern.exec(address.postal_code?.trim() ?? '')?.[1];
  const state = stateCode(address.state?.trim() ?? '');
  if (zip5 === undefined || state === null || !statesOfZip(zip5).includes(state) || isCountryCode(country)) return null;
  const detail = `${JSON.stringify(address.country)} is not a country code, but ${zip5} is in ${state} in the United States. Send US, or the two-letter code (ISO 3166) of the country.`;
  return unresolvable(`${pointer}/country`, detail);
};

/** Returns the state in an address, including a territory sent as the country; empty if there is none. */
export const sentState = (address: PostalAddress, country = readCountry(address)): string =>
  address.state?.trim() || (territories.has(country) ? country : '');

/**
 * Splits a city with its state, and possibly its ZIP code: `Austin`, TX and 78701 for `Austin, TX 78701`. `zip` is empty
 * if it is not in the state.
 */
export const splitCity = (text: string) => {
  const comma = text.lastIndexOf(',');
  const region = text.slice(comma + 1).trim();
  const [zip = ''] = /\d{5}(-\d{4})?$/.exec(region) ?? [];
  const state = comma <= 0 ? null : stateCode(region.slice(0, region.length - zip.length).trim());
  const isIn = state !== null && statesOfZip(zip.slice(0, 5)).includes(state);
  return { city: state === null ? text : text.slice(0, comma), state, zip: isIn ? zip : '' };
};

/**
 * Reads an address for tax. The default country is the United States.
 *
 * Refuses, with a pointer below `pointer` to the field to change, a malformed ZIP, an unknown state, a ZIP in a
 * different state (unless it crosses the border), and an address without state and ZIP. Foreign addresses are not
 * validated, unless the country is not a two-letter code and the ZIP is in the state.
 */
export const readAddress = (address: PostalAddress, pointer: string): Result<TaxAddress> => {
  const country = readCountry(address);
  if (isForeign(country))
    return (
      countryProblem(address, country, pointer) ?? accept({ ...abroad, country, city: cityName(address.city ?? '') })
    );
  const stateText = sentState(address, country);
  const inCity = splitCity(address.city ?? '');
  const isSameState = stateText === '' || stateCode(stateText) === inCity.state;
  const zipText = address.postal_code?.trim() || (isSameState ? inCity.zip : '');
  const [, zip5 = null, plus4 = null] = zipPattern.exec(zipText) ?? [];
  const states = zip5 === null ? [] : statesOfZip(zip5);
  const isInCity = inCity.state !== null && (zip5 === null || states.includes(inCity.state));
  const given = stateText === '' ? (isInCity ? inCity.state : null) : stateCode(stateText);
  if (stateText !== '' && given === null) return unresolvable(`${pointer}/state`, stateAdvice(stateText));
  if (territories.has(country) && given !== country)
    return unresolvable(
      `${pointer}/state`,
      `${country} is itself a country code: leave out the state, or send ${country}.`,
    );
  if (zipText !== '' && zip5 === null) return unresolvable(`${pointer}/postal_code`, zipAdvice(zipText, given));
  const state = given ?? states[0] ?? null;
  if (state === null) return unresolvable(pointer, 'Send at least the state, or a ZIP code that is in use.');
  if (zip5 !== null && states.length > 0 && !states.includes(state))
    return unresolvable(
      `${pointer}/postal_code`,
      `ZIP ${zip5} is in ${states.join(' or ')}, not in ${state}. Correct one of them.`,
    );
  const line1 = zip5 === null ? '' : (address.line1?.trim() ?? '');
  return accept({
    ...(line1 === '' ? {} : { line1 }),
    country: 'US',
    state,
    zip5,
    plus4,
    city: cityName(inCity.state === state ? inCity.city : (address.city ?? '')),
    county: address.county?.trim() || null,
    isZipKnown: states.length > 0,
    isStateGuessed: given === null && states.length > 1,
  });
};

/**
 * Returns the address once for each state that may contain it: several only if no state was sent and its ZIP crosses a
 * border.
 */
export const addressesByState = (address: TaxAddress): readonly TaxAddress[] =>
  address.isStateGuessed && address.zip5 !== null
    ? statesOfZip(address.zip5).map((state) => ({ ...address, state }))
    : [address];
