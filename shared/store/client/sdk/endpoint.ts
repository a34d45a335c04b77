import type { EndpointParameters } from '@aws-sdk/client-dynamodb/dist-es/endpoint/EndpointParameters.js';

const partitions = [
  { regions: /^(us|us-gov|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+$/, suffix: 'amazonaws.com' },
  { regions: /^cn-\w+-\d+$/, suffix: 'amazonaws.com.cn' },
];

const urlOf = ({ Endpoint, Region = '', UseFIPS, UseDualStack }: EndpointParameters): string => {
  if (UseFIPS || UseDualStack)
    throw new Error('This build of Levy knows no FIPS and no dual-stack endpoints of DynamoDB.');
  if (Endpoint) return Endpoint;
  const partition = partitions.find(({ regions }) => regions.test(Region));
  if (!partition) throw new Error(`This build of Levy knows no endpoint of DynamoDB in the region "${Region}".`);
  return `https://dynamodb.${Region}.${partition.suffix}`;
};

/**
 * Where DynamoDB answers: at the configured endpoint, or at that of the region.
 *
 * The SDK has a table of all partitions and regions for it, and a decision diagram that also knows endpoints of single
 * accounts, for which our credentials name none. What is asked for and not known here is an error, and no guess: data
 * must not go over another endpoint than the one that a deployment is bound to.
 */
export const endpointOf = (parameters: EndpointParameters) => ({
  url: new URL(urlOf(parameters)),
  properties: {},
  headers: {},
});
