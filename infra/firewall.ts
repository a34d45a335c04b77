import { Aws } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { envelope, safetyHeaders } from '../shared/http/reply.ts';
import { tooMany } from './gateway-problems.ts';

type Props = { readonly api: RestApi; readonly name: string; readonly requestsPerAddress: number };

type Rule = CfnWebACL.RuleProperty;

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true, metricName });

/** One of AWS's own groups; of the rules named, it only counts what they would refuse. */
const managed = (name: string, priority: number, counted: readonly string[] = []): Rule => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visible(name),
});

const flood = (limit: number, priority: number): Rule => ({
  name: 'Flood',
  priority,
  action: {
    block: {
      customResponse: {
        responseCode: 429,
        customResponseBodyKey: 'flood',
        responseHeaders: Object.entries({ ...safetyHeaders, 'Retry-After': '60' }).map(([name, value]) => ({
          name,
          value,
        })),
      },
    },
  },
  statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, aggregateKeyType: 'IP' } },
  visibilityConfig: visible('Flood'),
});

/**
 * A web ACL for the API's stage: AWS managed rules against known attacks, and a rate limit for each source address.
 *
 * What WAF refuses by itself is answered by the gateway, in the envelope (gateway-responses.ts); a flood is a 429 here,
 * so that clients which obey Retry-After come back.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { api, name, requestsPerAddress }: Props) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      description: `Before the API of ${name}`,
      visibilityConfig: visible(name),
      customResponseBodies: {
        flood: { contentType: 'APPLICATION_JSON', content: JSON.stringify(envelope([tooMany], '').body) },
      },
      rules: [
        flood(requestsPerAddress, 0),
        managed('AWSManagedRulesAmazonIpReputationList', 1),
        // A sale of fifty lines is longer than 8 KB, the API's own limit is 1 MiB, and not every client names itself.
        managed('AWSManagedRulesCommonRuleSet', 2, ['SizeRestrictions_BODY', 'NoUserAgent_HEADER']),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 3),
      ],
    });
    const { restApiId, deploymentStage } = api;
    const stage = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}/stages/${deploymentStage.stageName}`;
    const association = new CfnWebACLAssociation(this, 'Association', { resourceArn: stage, webAclArn: acl.attrArn });
    // The address above names the stage by its text, which does not wait for it.
    association.node.addDependency(deploymentStage);
  }
}
