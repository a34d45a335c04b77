import * as z from 'zod/mini';
import { isDay } from '../base/calendar.ts';
import { described, nullable, stringEnum } from '../base/described.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { remoteElections } from '../catalog/release-values.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { frequencies, policies, tinTypes } from './account.ts';
import { isTimeZone } from './time-zone.ts';

// A wrong century would produce an excessive number of periods.
const dayAdvice = 'Send a date such as 2026-01-01, from 2000 to 2099.';
const day = z.string(dayAdvice).check(z.refine((text) => isDay(text) && /^20/.test(text), dayAdvice));
const stateAdvice = 'Send a two-letter state code.';
const state = z.string(stateAdvice).check(z.refine((text) => stateJurisdiction(text) !== null, stateAdvice));

const RegistrationEntry = described(
  z.strictObject(
    {
      state: described(state, 'The state: its two-letter code or its jurisdiction code.'),
      from: described(day, 'The first day of the registration.', { format: 'date' }),
      to: nullable(day, 'The last day. `null` if there is none.'),
      frequency: stringEnum('FilingFrequency', frequencies, 'How often the state requires a return.'),
    },
    'Send an object.',
  ),
  'A registration to collect tax in a state.',
  { id: 'RegistrationEntry' },
);

const electionAdvice = `Send ${remoteElections.join(' or ')}.`;
const ElectionRequest = described(
  z.strictObject(
    {
      state: described(state, 'The state: its two-letter code or its jurisdiction code.'),
      election: described(z.enum(remoteElections, electionAdvice), 'The rate that replaces the rates of the address.', {
        title: 'RemoteSellerElectionName',
      }),
      from: described(day, 'The first day.', { format: 'date' }),
      to: described(z._default(z.nullable(day), null), 'The last day. `null` if there is none.'),
    },
    'Send an object.',
  ),
  'A simplified rate for remote sellers that the account elected.',
  { id: 'RemoteSellerElection' },
);

const nineDigits = 'Send the taxpayer identification number as a string of nine digits, without hyphens.';
const sstId = 'Send null, or S and eight digits, such as "S12345678".';
const stateId = 'Send 1 to 20 letters, digits, hyphens and periods.';

/** The identity of a request, and of a response. */
export const ReturnIdentity = described(
  z.strictObject(
    {
      legal_name: described(
        z.string('Send a name.').check(z.regex(/^\S.{0,99}$/, 'Send a name of 1 to 100 characters.')),
        'The legal name of the business.',
      ),
      tin: described(
        z.strictObject(
          {
            type: described(z.enum(tinTypes, 'Send FEIN, SSN or Foreign.'), 'The kind of number.', {
              title: 'TinType',
            }),
            number: described(z.string(nineDigits).check(z.regex(/^\d{9}$/, nineDigits)), 'Nine digits.'),
          },
          'Send an object such as {"type": "FEIN", "number": "123456789"}.',
        ),
        'The taxpayer identification number.',
        { id: 'Tin' },
      ),
      sst_id: nullable(
        z.string(sstId).check(z.regex(/^S\d{8}$/, sstId)),
        'The id of a seller who registered through the Streamlined Sales Tax system. `null` without one.',
      ),
      state_ids: described(
        z.record(
          z.string(),
          z.string(stateId).check(z.regex(/^[A-Za-z0-9.-]{1,20}$/, stateId)),
          'Send an object such as {"MN": "1234567"}, or {}.',
        ),
        'The account numbers of registrations with the states themselves, by two-letter code.',
      ),
    },
    'Send an object with legal_name, tin, sst_id and state_ids, and no other fields.',
  ),
  'Who files the returns. Personal data of the business.',
  { id: 'ReturnIdentity' },
);
const listAdvice = 'Send an array of at most 200 registrations.';
const electionsAdvice = 'Send an array of at most 50 elections.';
const reminderAdvice = 'Send null or an array of at most five whole numbers from 1 to 60, such as [7, 2].';
const reviewAdvice = 'Send a whole number from 0 to 20, or null.';
const zoneAdvice = 'Send an IANA time zone such as America/New_York, or UTC.';

type Policies = typeof policies;

const policySettings = Object.fromEntries<unknown>(
  Object.entries(policies).map(([name, policy]) => [name, stringEnum(policy.title, policy.values, policy.description)]),
) as { [Name in keyof Policies]: ReturnType<typeof stringEnum<Policies[Name]['values']>> };

/** The settings that requests and responses contain in their stored form. */
export const plainSettings = {
  time_zone: described(
    z.string(zoneAdvice).check(z.refine(isTimeZone, zoneAdvice)),
    'The IANA time zone that decides the tax day of a timestamp.',
    { examples: ['America/New_York'] },
  ),
  review_days: nullable(
    z.int(reviewAdvice).check(z.gte(0, reviewAdvice), z.lte(20, reviewAdvice)),
    "Days after a period's end before the schedule closes it, 0 to 20. With `null`, only requests close periods.",
  ),
  filing_reminder_days: nullable(
    z
      .array(z.int(reminderAdvice).check(z.gte(1, reminderAdvice), z.lte(60, reminderAdvice)), reminderAdvice)
      .check(z.maxLength(5, reminderAdvice)),
    'The days before a due date on which Levy publishes the event `filing.due_soon`. `null` publishes no reminders.',
  ),
  ...policySettings,
};

/** The settings in requests. Unknown fields of a setting are refused, because it is stored. */
export const settingSchemas = {
  ...plainSettings,
  registrations: described(
    z.array(RegistrationEntry, listAdvice).check(z.maxLength(200, listAdvice)),
    'The registrations to collect tax. They replace all registrations, and the account collects in `registered_states`.',
  ),
  ship_from: nullable(
    z.strictObject(PostalAddress.shape, 'Send an object.'),
    'The default address from which the account ships. `null` if it is unknown.',
  ),
  books_open_from: nullable(
    day,
    "The first day of the account's books. `null` sets it to four years before the account was created.",
  ),
  return_identity: nullable(
    ReturnIdentity,
    'Who files the returns: name, taxpayer number and account numbers. `null` if it is not set.',
  ),
  remote_seller_elections: described(
    z.array(ElectionRequest, electionsAdvice).check(z.maxLength(50, electionsAdvice)),
    'The simplified rates for remote sellers that the account elected.',
  ),
};
