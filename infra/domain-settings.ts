import type { Node } from 'constructs';
import { matching, oneOf, refuse } from './context.ts';

/** An address of one's own for the API. */
export type Domain = {
  readonly name: string;
  /** Of a certificate of ACM for this name, in the stack's region. */
  readonly certificateArn: string;
  /** The Route 53 zone for the record; `null` where the DNS record is managed elsewhere. */
  readonly hostedZoneId: string | null;
};

/** The domain of the context; a certificate or a zone without one, or one without a certificate, stops the synthesis. */
export const domainOf = (node: Node): Domain | null => {
  const name = matching(
    node,
    'domain',
    /^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/,
    'Give a host name, such as tax.example.com.',
  );
  const certificateArn = matching(
    node,
    'certificate',
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    "Give the ARN of an ACM certificate for the domain, in the stack's region.",
  );
  const hostedZoneId = matching(
    node,
    'hostedZone',
    /^Z[A-Z0-9]{1,31}$/,
    'Give the id of a hosted zone, such as Z0123456789ABC.',
  );
  if (name !== null && certificateArn !== null) return { name, certificateArn, hostedZoneId };
  if (name !== null) return refuse('domain', name, 'Give certificate as well: the ARN of an ACM certificate for it.');
  for (const [given, value] of Object.entries({ certificate: certificateArn, hostedZone: hostedZoneId }))
    if (value !== null) refuse(given, value, 'Give domain as well: the host name that it is for.');
  return null;
};

/** Whether the execute-api address stays open next to the domain. Closing it without a domain stops the synthesis. */
export const awsAddressOf = (node: Node, domain: Domain | null): 'open' | 'shut' => {
  const address = oneOf(node, 'awsAddress', ['open', 'shut']);
  return address === 'shut' && domain === null
    ? refuse('awsAddress', address, 'Give domain as well: the API must have an address.')
    : address;
};
