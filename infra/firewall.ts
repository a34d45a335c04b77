import { Aws } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { envelope, safetyHeaders } from '../shared/api/reply.ts';
import { tooMany } from './gateway-problems.ts';
import type { Settings } from './settings.ts';

type Rule = CfnWebACL.RuleProperty;

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true, metricName });

/** A rule group of AWS. The named rules only count requests. */
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
 * API Gateway answers blocked requests in the error envelope (api-definition.ts). A flood gets a 429 with Retry-After.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, api: SpecRestApi, { name, wafRequestsPerAddress }: Settings) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      description: `Protects the API of ${name}`,
      visibilityConfig: visible(name),
      customResponseBodies: {
        flood: { contentType: 'APPLICATION_JSON', content: JSON.stringify(envelope([tooMany], '').body) },
      },
      rules: [
        flood(wafRequestsPerAddress, 0),
        managed('AWSManagedRulesAmazonIpReputationList', 1),
        // Orders can be longer than 8 KB, and not every client sends a user agent.
        managed('AWSManagedRulesCommonRuleSet', 2, ['SizeRestrictions_BODY', 'NoUserAgent_HEADER']),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 3),
      ],
    });
    const { restApiId, deploymentStage } = api;
    const stage = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}/stages/${deploymentStage.stageName}`;
    const association = new CfnWebACLAssociation(this, 'Association', { resourceArn: stage, webAclArn: acl.attrArn });
    // The ARN names the stage as text, so CloudFormation does not see the dependency.
    association.node.addDependency(deploymentStage);
  }
}
