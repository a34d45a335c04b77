import { assumed } from './assumed.ts';
import type { Usage } from './bill.ts';
import type { Measures } from './measure.ts';
import { type Deployed, type Month, onService, sumOf } from './month.ts';
import { type Asked, requestsOf, trafficOf } from './traffic.ts';
import { cloudWatchUsage, eventsUsage, sentBytes, tracesOf } from './usage-around.ts';
import { gatewayUsage, lambdaUsage } from './usage-compute.ts';
import { databaseUsage } from './usage-database.ts';

/** Everything that a month uses, in the order of the bill. What nobody uses is in it with 0, so that nothing is forgotten. */
export const usageOf = async (asked: Asked, deployed: Deployed, measures: Measures): Promise<Usage[]> => {
  const traffic = trafficOf(asked);
  const requests = requestsOf(traffic);
  const month: Month = { asked, deployed, measures, traffic, requests };
  const every = sumOf(Object.values(requests));
  const ownKeys = deployed.hasOwnKey ? 1n : 0n;
  const webAcl = deployed.hasWebAcl ? 1n : 0n;
  return [
    ...gatewayUsage(month),
    ...lambdaUsage(month),
    ...(await databaseUsage(month)),
    ...cloudWatchUsage(month),
    onService('X-Ray')('traces', 'trace', tracesOf(every)),
    ...eventsUsage(month),
    onService('KMS')('keys', 'key', BigInt(deployed.keys) + ownKeys),
    onService('KMS')("requests of the tables' key", 'keyRequest', ownKeys * assumed.keyRequests),
    onService('SNS')('mails of alarms', 'mail', assumed.mails),
    onService('Data transfer')('answers', 'transferOut', sentBytes(month)),
    onService('WAF')('web ACL', 'webAcl', webAcl),
    onService('WAF')('rules', 'webAclRule', webAcl * BigInt(deployed.webAclRules)),
    onService('WAF')('requests', 'webAclRequest', webAcl * every),
  ];
};
