import * as z from 'zod/mini';
import {
  array,
  component,
  described,
  integer,
  nullable,
  nullableString,
  string,
  stringEnum,
} from '../base/described.ts';
import { date, listShape, objectType, timestamp } from '../base/response-scalars.ts';
import { certificateReasons } from '../calculations/fields.ts';
import { warnings } from '../calculations/response.ts';

export const Certificate = component('Certificate', 'An exemption certificate of a customer.', {
  states: nullable(
    z.array(z.string()),
    'The jurisdiction codes of the states in which the certificate is valid, such as `US-IN`. `null` for all states.',
  ),
  reason: stringEnum('CertificateReason', certificateReasons, 'The reason for the exemption.'),
  certificate_number: nullableString('The number of the certificate.'),
  document_url: nullableString('A link to the file of the certificate.'),
  valid_from: nullable(date, 'The first day on which the certificate is valid.'),
  valid_to: nullable(date, 'The last day on which the certificate is valid.'),
});

/** A customer as the API returns it. */
export const StoredCustomer = component('StoredCustomer', 'A customer with its exemption certificates.', {
  object: objectType('customer'),
  id: string('The id of the customer in your system.'),
  name: nullableString('The name of the customer.'),
  exemptions: array(Certificate, 'The exemption certificates of the customer.'),
  created_at: described(timestamp, 'When the customer was created.'),
  updated_at: described(timestamp, 'When the customer was last changed.'),
  version: integer('Increments with each change, from 1. In double quotes, it is the `ETag` of the customer.', {
    minimum: 1,
  }),
  warnings,
});

export const CustomerList = component(
  'CustomerList',
  'A page of customers.',
  listShape(z.literal('/customers'), StoredCustomer, 'The customers of the page.'),
);
export type CustomerList = z.infer<typeof CustomerList>;
