import * as z from 'zod/mini';
import { isDay } from '../base/calendar.ts';
import { component, described } from '../base/described.ts';
import type { Problem } from '../base/result.ts';
import { certificateReasons, identifier, text } from '../calculations/fields.ts';
import { closest } from '../vocabulary/closest.ts';
import { state } from '../vocabulary/state-field.ts';

/** The maximum number of certificates per customer. It limits a customer to 180 KB, so a batch of 100 takes at most two reads. */
export const exemptionsMax = 100;
const statesMax = 60;

const valueMax = 60;

/** Returns an error message that includes the value sent. */
const withValue =
  (advice: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null
      ? advice
      : `${JSON.stringify(input).slice(0, valueMax)} is not valid. ${advice}`;

const statesAdvice = 'Send an array of states, or null for all states.';
const stateAdvice = 'Send the code of a state, such as IN or US-IN, or its name.';

const certifiedState = z
  .string({ error: withValue(stateAdvice) })
  .check(z.refine((value) => state.safeParse(value).success, { error: withValue(stateAdvice) }));

const dayAdvice = 'Send a date, such as "2026-10-08".';
const day = z.string({ error: withValue(dayAdvice) }).check(z.refine(isDay, { error: withValue(dayAdvice) }));
const dayKeywords = { format: 'date', examples: ['2026-10-08'] };

const urlMax = 500;
const urlAdvice = `Send a URL of at most ${urlMax} ASCII characters that begins with https:// and has no user name or password.`;
const isDocumentUrl = (value: string): boolean => {
  const url = /^https:\/\/[\x21-\x7e]+$/.test(value) && value.length <= urlMax ? URL.parse(value) : null;
  return url !== null && url.username === '' && url.password === '';
};

const lastDayAdvice = 'Send a `valid_to` that is not before `valid_from`.';

export const CertificateRequest = described(
  z
    .object(
      {
        states: described(
          z.nullish(
            z
              .array(certifiedState, statesAdvice)
              .check(z.minLength(1, statesAdvice), z.maxLength(statesMax, `Send at most ${statesMax} states.`)),
          ),
          'The states in which the certificate is valid, by code (`IN` or `US-IN`) or name. Default: all states.',
        ),
        reason: described(
          z.enum(certificateReasons, { error: withValue(`Send one of ${certificateReasons.join(', ')}.`) }),
          'The reason for the exemption.',
          { title: 'CertificateReason' },
        ),
        certificate_number: described(z.nullish(text(255)), 'The number of the certificate, for audits.'),
        document_url: described(
          z.nullish(z.string(urlAdvice).check(z.refine(isDocumentUrl, { error: urlAdvice }))),
          'A link to the file of the certificate in your own storage. Levy does not read it.',
          { format: 'uri', maxLength: urlMax, examples: ['https://files.example.com/certificates/R-1.pdf'] },
        ),
        valid_from: described(z.nullish(day), 'The first day on which the certificate is valid.', dayKeywords),
        valid_to: described(z.nullish(day), 'The last day on which the certificate is valid.', dayKeywords),
      },
      'Send an object.',
    )
    .check(
      z.refine(({ valid_from, valid_to }) => !valid_from || !valid_to || valid_from <= valid_to, {
        error: ({ input }) => {
          const { valid_from, valid_to } = input as { readonly valid_from?: string; readonly valid_to?: string };
          return `${valid_to} is before valid_from ${valid_from}. ${lastDayAdvice}`;
        },
        path: ['valid_to'],
      }),
    ),
  'An exemption certificate of a customer.',
  { id: 'CertificateRequest' },
);
export type CertificateRequest = z.infer<typeof CertificateRequest>;

// These are alternative field names, from inline exemptions and from other services.
const aliases: Readonly<Record<string, string>> = {
  certificate_id: 'certificate_number',
  expires_at: 'valid_to',
  regions: 'states',
  type: 'reason',
  valid_until: 'valid_to',
};

/**
 * Returns the problem of an unknown certificate field, by its pointer; `null` for fields elsewhere. Ignoring a
 * misspelled field could extend the exemption to all states, or without an end date.
 */
export const certificateFieldProblem = (pointer: string): Problem | null => {
  const name = /^\/exemptions\/\d+\/([^/]*)$/.exec(pointer)?.[1];
  if (name === undefined) return null;
  const names = Object.keys(CertificateRequest.shape);
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : closest(name, names);
  return {
    code: 'validation_unknown_field',
    title: `Unknown field ${name}`,
    detail: `${meant ? `Did you mean ${meant}? ` : ''}A certificate has the fields ${names.join(', ')}.`,
    source: { pointer },
    ...(meant && { meta: { did_you_mean: [meant] } }),
  };
};

const exemptionsAdvice = `Send an array of at most ${exemptionsMax} certificates.`;
const exemptions = z.array(CertificateRequest, exemptionsAdvice).check(z.maxLength(exemptionsMax, exemptionsAdvice));

const nameText = 'The name of the customer. Levy does not use it.';
const exemptionsText = `The exemption certificates of the customer: at most ${exemptionsMax}.`;

// Clients resolve dots in a path, and gateways differ in how often they decode it.
const pathAdvice =
  'Send an id that can be part of a URL: other than "." and "..", and without percent-encoded characters such as "%2F".';
const isPathSegment = (id: string) => id !== '.' && id !== '..' && !/%[0-9a-f]{2}/i.test(id);

/** The body of POST /customers. */
export const CustomerRequest = component(
  'CustomerRequest',
  'A customer to create. Levy ignores unknown fields and names them in `warnings`; it rejects unknown fields of a certificate.',
  {
    id: described(
      identifier.check(z.refine(isPathSegment, { error: withValue(pathAdvice) })),
      'The id of the customer in your system, which documents send as `customer.id`.',
    ),
    name: described(z.nullish(text(255)), nameText),
    exemptions: described(z.nullish(exemptions), `${exemptionsText} Default: none.`),
  },
  'Send a JSON object.',
);
export type CustomerRequest = z.infer<typeof CustomerRequest>;

/** The body of POST /customers/{id}. Absent means unchanged. */
export const CustomerUpdate = component(
  'CustomerUpdate',
  'The changes to a customer. Fields that are left out stay unchanged.',
  {
    id: described(z.optional(identifier), 'The id of the customer. It cannot be changed.'),
    name: described(z.optional(z.nullable(text(255))), `${nameText} \`null\` removes it.`),
    exemptions: described(
      z.optional(exemptions),
      `${exemptionsText} They replace all earlier ones; an empty array removes them.`,
    ),
  },
  'Send a JSON object.',
);
export type CustomerUpdate = z.infer<typeof CustomerUpdate>;
