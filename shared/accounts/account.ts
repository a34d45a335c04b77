import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import * as z from 'zod/mini';
import { instantMs, toDay } from '../base/calendar.ts';
import type { Problem } from '../base/result.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { remoteElections } from '../catalog/release-values.ts';
import { inTimeZone } from './time-zone.ts';

/** The states in which an account collects tax. */
export const collectsIn = ['registered_states', 'every_state', 'not_set'] as const;

/** How often a state requires a return. Periods of a quarter or more begin in the months that the state sets. */
export const frequencies = ['month', 'quarter', 'half_year', 'year', 'fiscal_year'] as const;
export type Frequency = (typeof frequencies)[number];

export const Registration = z.object({
  state: z.string(),
  from: z.string(),
  to: z.nullable(z.string()),
  frequency: z.enum(frequencies),
});
export type Registration = z.infer<typeof Registration>;

/** A rate for remote sales that the account elected in a state, with its first and last day. */
export const RemoteSellerElection = z.object({
  state: z.string(),
  election: z.enum(remoteElections),
  from: z.string(),
  to: z.nullable(z.string()),
});
export type RemoteSellerElection = z.infer<typeof RemoteSellerElection>;

/** The settings that choose between behaviors: their values, and their titles and descriptions in the API. */
export const policies = {
  incomplete_coverage: {
    title: 'IncompleteCoverage',
    values: ['warn', 'reject'],
    description: 'What happens to a sale that the content does not cover completely.',
  },
  ambiguous_address: {
    title: 'AmbiguousAddress',
    values: ['warn', 'reject', 'highest_rate'],
    description: 'What happens if an address fits places with different rates or taxes on the products.',
  },
  /** Adds a warning that the fee is due, adds the fee as a line item, or does neither. */
  retail_delivery_fee: {
    title: 'RetailDeliveryFee',
    values: ['warn', 'add', 'none'],
    description: 'What happens if a retail delivery fee is due and the order has no line for it.',
  },
} as const;

/** The kinds of taxpayer identification numbers. */
export const tinTypes = ['FEIN', 'SSN', 'Foreign'] as const;

/** Who files the returns: the business and its identifiers at the tax authorities. */
const ReturnIdentity = z.object({
  legal_name: z.string(),
  tin: z.object({ type: z.enum(tinTypes), number: z.string() }),
  sst_id: z.nullable(z.string()),
  state_ids: z.record(z.string(), z.string()),
});
export type ReturnIdentity = z.infer<typeof ReturnIdentity>;

/** An account's settings for its calculations, returns and limits. */
export const Settings = z.object({
  service_version: z.string(),
  /** Requests in a window of ten seconds. */
  rate_limit: z.int().check(z.nonnegative()),
  draft_ttl_hours: z.number(),
  rounding: z.enum(['line', 'invoice']),
  /**
   * The states where the account collects tax. `all` means every state. `null`, the default, also means every state and
   * adds a warning to calculations.
   */
  registrations: z.nullable(z.union([z.literal('all'), z.array(Registration)])),
  ship_from: z.nullable(PostalAddress),
  /**
   * Whether buyers are charged the maximum pass-on rate of a general excise tax (Hawaii), which also covers the tax
   * that the seller owes on the passed-on tax.
   */
  pass_on_general_excise: z.boolean(),
  /** A remote seller's elected rates, which replace the rates of the address (`shared/catalog/remote-sales.ts`). */
  remote_seller_elections: z.array(RemoteSellerElection),
  incomplete_coverage: z.enum(policies.incomplete_coverage.values),
  ambiguous_address: z.enum(policies.ambiguous_address.values),
  retail_delivery_fee: z.enum(policies.retail_delivery_fee.values),
  /** The first day of the account's books, `YYYY-MM-DD`; `null` is the default of `booksOpenFrom`. */
  books_open_from: z.nullable(z.string()),
  /** The IANA time zone used to derive the tax day from a timestamp. */
  time_zone: z.string(),
  /** Days after a period's end before the schedule closes it. */
  review_days: z.nullable(z.int()),
  /**
   * The numbers of days before the due date on which an event `filing.due_soon` is sent for an unfiled return. When the
   * return is overdue, `filing.overdue` follows. `null` sends neither.
   */
  filing_reminder_days: z.nullable(z.array(z.int())),
  /** Who files the returns; `null` if it is not set. Personal data of the business. */
  return_identity: z.nullable(ReturnIdentity),
  /** Days from the creation of a transaction until its personal data is removed; `null` keeps the data. */
  retain_personal_data_days: z.nullable(z.int()),
});
export type Settings = z.infer<typeof Settings>;

/** Returns the registrations; `null` if the account collects tax everywhere. */
export const listRegistrations = ({
  registrations,
}: Pick<Settings, 'registrations'>): readonly Registration[] | null => (registrations === 'all' ? null : registrations);

export const Account = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  /** Signs the account's list cursors, so a cursor works only for the account that received it. */
  cursor_secret: z.string(),
  settings: Settings,
  /** When a setting last changed; absent if no setting has changed since creation. */
  settings_changed_at: z.optional(z.string()),
  /** When an operator closed the account. Its credentials are refused, and schedules skip it. */
  closed_at: z.optional(z.string()),
});
export type Account = z.infer<typeof Account>;

/** The settings of a new account. */
export const defaults: Omit<Settings, 'service_version'> = {
  rate_limit: 2000,
  draft_ttl_hours: 24,
  rounding: 'line',
  ambiguous_address: 'warn',
  incomplete_coverage: 'warn',
  registrations: null,
  ship_from: null,
  pass_on_general_excise: false,
  remote_seller_elections: [],
  retail_delivery_fee: 'warn',
  books_open_from: null,
  time_zone: 'UTC',
  review_days: 3,
  filing_reminder_days: [7, 2],
  return_identity: null,
  retain_personal_data_days: null,
};

/** Returns the settings of a new account. The service version is pinned at creation. */
export const defaultSettings = (serviceVersion: string): Settings => ({
  service_version: serviceVersion,
  ...structuredClone(defaults),
});

type Terms = {
  readonly name: string;
  /** The version that the account is pinned to: the current version when the account was created. */
  readonly serviceVersion: string;
  /** The time of the creation, in milliseconds since 1970. */
  readonly createdMs: number;
  /** Settings that differ from the defaults. */
  readonly settings?: Partial<Settings>;
  /** Default: `acct_` + ULID. The demo account has a fixed id. */
  readonly id?: string;
};

/** Returns an account with a new id and a random cursor secret. Does not store it. */
export const newAccount = ({ name, serviceVersion, createdMs, settings, id }: Terms): Account => ({
  id: id ?? `acct_${ulid(createdMs)}`,
  name,
  created_at: new Date(createdMs).toISOString(),
  cursor_secret: randomBytes(32).toString('base64url'),
  settings: { ...defaultSettings(serviceVersion), ...settings },
});

// Without a first day of the books, a wrong year could become the first filing period of a state.
const defaultBookYears = 4;

type Opening = Pick<Account, 'created_at' | 'settings'>;

const defaultOpening = ({ created_at }: Opening): string => {
  const created = new Date(created_at);
  return toDay(created.setUTCFullYear(created.getUTCFullYear() - defaultBookYears));
};

/**
 * Returns the first day (`YYYY-MM-DD`) that the account's transactions and filings can have: the setting, or four years
 * before the account was created.
 */
export const booksOpenFrom = (account: Opening): string => account.settings.books_open_from ?? defaultOpening(account);

/** Returns the default first day of the books, or the setting if it is earlier. */
export const earliestBooksOpenDay = (account: Opening): string => {
  const [setting, byDefault] = [booksOpenFrom(account), defaultOpening(account)];
  return setting < byDefault ? setting : byDefault;
};

/** Returns a problem if the day is before the account's books open; `null` for a later day or no day. */
export const tooEarlyProblem = (pointer: string, date: unknown, account: Account): Problem | null => {
  const earliest = booksOpenFrom(account);
  if (typeof date !== 'string' || instantMs(date) === null) return null;
  // `YYYY-MM-DD` strings sort chronologically.
  if (inTimeZone(date, account.settings.time_zone).slice(0, 10) >= earliest) return null;
  return {
    code: 'validation_date_out_of_range',
    title: `${pointer.slice(1)} before the books open`,
    detail: `${date} is before the account's first day. Send ${earliest} or later, or change books_open_from with POST /account or on the page Settings of the console.`,
    source: { pointer },
    meta: { earliest },
  };
};
