import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { date, listShape, objectType, timestamp } from '../base/response-scalars.ts';
import { certificateReasons } from '../calculations/fields.ts';
import { warnings } from '../calculations/response.ts';

export const Certificate = described(
  z.object({
    states: described(
      z.nullable(z.array(z.string())),
      'The jurisdiction codes of the states in which the certificate is valid, such as `US-IN`. `null` for all states.',
    ),
    reason: described(z.enum(certificateReasons), 'The reason for the exemption.', { title: 'CertificateReason' }),
    certificate_number: described(z.nullable(z.string()), 'The number of the certificate.'),
    document_url: described(z.nullable(z.string()), 'A link to the file of the certificate.'),
    valid_from: described(z.nullable(date), 'The first day on which the certificate is valid.'),
    valid_to: described(z.nullable(date), 'The last day on which the certificate is valid.'),
  }),
  'An exemption certificate of a customer.',
  { id: 'Certificate' },
);

/** A customer as the API returns it. */
export const StoredCustomer = described(
  z.object({
    object: objectType('customer'),
    id: described(z.string(), 'The id of the customer in your system.'),
    name: described(z.nullable(z.string()), 'The name of the customer.'),
    exemptions: described(z.array(Certificate), 'The exemption certificates of the customer.'),
    created_at: described(timestamp, 'When the customer was created.'),
    updated_at: described(timestamp, 'When the customer was last changed.'),
    version: described(
      z.int(),
      'Increments with each change, from 1. In double quotes, it is the `ETag` of the customer.',
      { minimum: 1 },
    ),
    warnings,
  }),
  'A customer with its exemption certificates.',
  { id: 'StoredCustomer' },
);

export const CustomerList = described(
  z.object(listShape(z.literal('/customers'), StoredCustomer, 'The customers of the page.')),
  'A page of customers.',
  { id: 'CustomerList' },
);
export type CustomerList = z.infer<typeof CustomerList>;
