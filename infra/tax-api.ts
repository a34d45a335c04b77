import { Aws, CfnOutput, RemovalPolicy, Size } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { endpoints, methodsByPath, type Operation } from '../functions/endpoints.ts';
import { methodsVariable } from '../functions/method-not-allowed.ts';
import { endpoint as taxjar } from '../functions/taxjar.ts';
import type { Endpoint } from '../shared/api/endpoint.ts';
import { envelope, safetyHeaders } from '../shared/api/response.ts';
import type { TableAccess } from '../shared/store/table-access.ts';
import { apiDefinition, documentMethods, type Method, throttle } from './api-definition.ts';
import type { Entry } from './bundling.ts';
import { acknowledge, fixLogicalId, logGroup } from './constructs.ts';
import { type Deployment, EndpointFunction, tracingIsOff } from './endpoint-function.ts';
import { tooMany } from './gateway-problems.ts';
import { addGradualDeployment } from './gradual-deployment.ts';
import { stageName } from './monitoring/metrics.ts';
import type { Settings } from './settings.ts';

/** TLS policy of all API addresses: 1.2 or 1.3, with forward secrecy. */
const tls = apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** Serves the API at a custom host name under the same path as at AWS's address, so clients change only the host. */
class CustomDomain extends Construct {
  constructor(
    scope: Construct,
    id: string,
    api: apigateway.SpecRestApi,
    domainName: string,
    { certificate, hostedZone }: Settings,
  ) {
    super(scope, id);
    const domain = new apigateway.DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate ?? ''),
      endpointType: apigateway.EndpointType.REGIONAL,
      securityPolicy: tls,
      endpointAccessMode: apigateway.EndpointAccessMode.BASIC,
    });
    domain.addBasePathMapping(api, { basePath: stageName, stage: api.deploymentStage });
    if (hostedZone !== null) {
      const zone = HostedZone.fromHostedZoneId(this, 'Zone', hostedZone);
      // A name with a trailing dot is absolute, so the name of the zone is not needed.
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      // No AAAA record: a regional domain has only IPv4 addresses by default.
      new ARecord(this, 'Ipv4', { zone, recordName: `${domainName}.`, target });
    } else {
      const value = domain.domainNameAliasDomainName;
      const output = new CfnOutput(this, 'Target', { value, description: `The CNAME target of ${domainName}` });
      fixLogicalId(output, 'DomainTarget');
    }
  }
}

type Rule = CfnWebACL.RuleProperty;

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true, metricName });

/** Returns an AWS rule group. The named rules only count requests. */
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
 * Creates a web ACL for the API's stage: AWS managed rules against known attacks, and a rate limit per source address.
 *
 * API Gateway returns blocked requests in the error envelope (api-definition.ts). A flood gets 429 with Retry-After.
 */
class Firewall extends Construct {
  constructor(scope: Construct, id: string, api: apigateway.SpecRestApi, { name, wafRequestsPerAddress }: Settings) {
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
        // Orders can exceed 8 KB, and not every client sends a user agent.
        managed('AWSManagedRulesCommonRuleSet', 2, ['SizeRestrictions_BODY', 'NoUserAgent_HEADER']),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 3),
      ],
    });
    const { restApiId, deploymentStage } = api;
    const stage = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}/stages/${deploymentStage.stageName}`;
    const association = new CfnWebACLAssociation(this, 'Association', { resourceArn: stage, webAclArn: acl.attrArn });
    // The ARN contains the stage as text, so CloudFormation does not see the dependency.
    association.node.addDependency(deploymentStage);
  }
}

/**
 * Responses of this size or more are compressed: list pages and the documentation. A calculation is smaller and avoids
 * the delay.
 */
const compressed = Size.kibibytes(16);

/** The REST API: a separate function per endpoint, and every error in the same envelope. */
export class TaxApi extends Construct {
  readonly #deployment: Deployment;
  readonly #api: apigateway.SpecRestApi;
  readonly #functions: EndpointFunction[] = [];

  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id);
    this.#deployment = deployment;
    const { settings } = deployment;
    const others = this.#methodNotAllowed();
    const methods = this.#endpoints().map(({ name, path, method, scope: needed, access }): Method => {
      const environment = needed || name === 'get-console' ? settings.oidc : {};
      return { path, method, called: this.#publish(name, environment, access) };
    });
    const paths = new Set(methods.map(({ path }) => path));
    if (settings.taxjar)
      methods.push({ path: taxjar.path, method: 'ANY', called: this.#publish('taxjar', settings.oidc, taxjar.access) });
    // ANY comes first: API Gateway prefers the exact method, but SAM CLI uses the last match in a template.
    this.#api = this.#restApi([...[...paths].map((path) => ({ path, method: 'ANY', called: others })), ...methods]);
    this.#allow(others, '*', '/*');
    for (const { path, method, called } of methods) this.#allow(called, method === 'ANY' ? '*' : method, path);
    addGradualDeployment(this, settings, this.#functions);
    if (settings.waf) new Firewall(this, 'Firewall', this.#api, settings);
    if (settings.domain !== null) new CustomDomain(this, 'Domain', this.#api, settings.domain, settings);
    this.#acknowledge();
  }

  /** The URL has no trailing slash, so that a path can be appended. */
  get url(): string {
    const { domain } = this.#deployment.settings;
    const host = domain ?? `${this.#api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    return `https://${host}/${this.#api.deploymentStage.stageName}`;
  }

  #restApi(methods: readonly Method[]): apigateway.SpecRestApi {
    const { settings } = this.#deployment;
    // Independent of `domain`: clients use this address until they and the DNS record have moved.
    const disableExecuteApiEndpoint = settings.awsAddress === 'shut';
    const methodSettings = {
      metricsEnabled: settings.methodMetrics,
      loggingLevel: apigateway.MethodLoggingLevel.ERROR,
      // Bodies contain customers' addresses and must not be logged.
      dataTraceEnabled: false,
    };
    // The definition repeats these settings, because its import resets everything that it does not set.
    const definition = apiDefinition(settings.name, methods, {
      'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint },
      'x-amazon-apigateway-minimum-compression-size': compressed.toBytes(),
      'x-amazon-apigateway-security-policy': tls,
      'x-amazon-apigateway-endpoint-access-mode': 'BASIC',
    });
    const api = new apigateway.SpecRestApi(this, 'Api', {
      apiDefinition: apigateway.ApiDefinition.fromInline(definition),
      // The name is the only dimension that distinguishes the API's metrics.
      restApiName: settings.name,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      disableExecuteApiEndpoint,
      minCompressionSize: compressed,
      // Creates the role with which API Gateway writes logs, one per account and region. Retained, because other APIs
      // can use it.
      ...(settings.gatewayLogRole === 'make'
        ? { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN }
        : { cloudWatchRole: false }),
      deployOptions: {
        stageName,
        tracingEnabled: settings.tracing,
        ...methodSettings,
        throttlingRateLimit: throttle.ratePerSecond,
        throttlingBurstLimit: throttle.burst,
        methodOptions: documentMethods(methodSettings, this.#endpoints()),
        accessLogDestination: new apigateway.LogGroupLogDestination(logGroup(this, 'AccessLog', settings)),
        accessLogFormat: apigateway.AccessLogFormat.jsonWithStandardFields(),
      },
    });
    // A different logical id would create a new API at a new address.
    fixLogicalId(api, 'Api');
    // The default of a regional API accepts TLS 1.0. This also applies to its custom domain.
    const resource = api.node.defaultChild as apigateway.CfnRestApi;
    resource.securityPolicy = tls;
    resource.endpointAccessMode = 'BASIC';
    // Otherwise API Gateway creates this log group on the first error, without retention.
    const name = `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`;
    api.deploymentStage.node.addDependency(logGroup(this, 'ExecutionLog', settings, name));
    // The stack has a separate output with a stable name.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  #methodNotAllowed(): IFunction {
    const paths = new Set(this.#endpoints().map(({ path }) => path));
    const offered = Object.fromEntries(Object.entries(methodsByPath).filter(([path]) => paths.has(path)));
    return this.#publish('method-not-allowed', { [methodsVariable]: JSON.stringify(offered) });
  }

  #endpoints(): readonly Endpoint<Operation>[] {
    const { settings } = this.#deployment;
    return Object.values(endpoints).filter(({ name }) => name !== 'get-console' || settings.console);
  }

  #publish(entry: Entry, environment: Record<string, string>, access?: TableAccess): IFunction {
    const handler = new EndpointFunction(this, entry, this.#deployment, { environment, ...(access && { access }) });
    this.#functions.push(handler);
    return handler.publish(
      'API Gateway calls it synchronously: a failure is returned as a response, so there is no event to store.',
    );
  }

  /** Allows API Gateway to call a function for a method of a path. */
  #allow(called: IFunction, method: string, path: string): void {
    called.addPermission('Invocation', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.#api.arnForExecuteApi(method, path.replaceAll(/\{\w+\+?\}/g, '*'), stageName),
    });
  }

  #acknowledge(): void {
    const { gatewayLogRole, tracing, waf } = this.#deployment.settings;
    const logsPolicy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    const isValidated =
      'The handlers validate with the zod schemas of the OpenAPI document, and return errors in the envelope.';
    acknowledge(this.#api, isValidated, ['AwsSolutions-APIG2']);
    if (!tracing) acknowledge(this.#api, tracingIsOff, ['Serverless-APIGWXrayEnabled']);
    if (!waf)
      acknowledge(this.#api, 'A web ACL costs money each month. `-c waf=true` adds one.', ['AwsSolutions-APIG3']);
    const writesLogs = 'The account-wide role that lets API Gateway write logs; AWS requires this policy.';
    if (gatewayLogRole === 'make') acknowledge(this.#api, writesLogs, [`AwsSolutions-IAM4[Policy::${logsPolicy}]`]);
  }
}
