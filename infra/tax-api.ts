import { Aws, RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  type CfnRestApi,
  EndpointType,
  Integration,
  IntegrationType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { endpoints, methodsByPath, type Operation } from '../functions/endpoints.ts';
import { methodsVariable } from '../functions/method-not-allowed.ts';
import type { Endpoint } from '../shared/http/endpoint.ts';
import type { TableAccess } from '../shared/store/table-access.ts';
import type { Entry } from './bundling.ts';
import { CustomDomain, tls } from './custom-domain.ts';
import { EndpointFunction, tracingIsOff } from './endpoint-function.ts';
import { Firewall } from './firewall.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { GradualDeployment, gradually } from './gradual-deployment.ts';
import { logGroup } from './log-group.ts';
import { pascalCase } from './logical-id.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';
import { documentMethods, throttle } from './throttles.ts';

// Part of every address, so clients depend on it.
export const stageName = 'v1';

const methodSettings = ({ methodMetrics }: Settings) => ({
  metricsEnabled: methodMetrics,
  loggingLevel: MethodLoggingLevel.ERROR,
  // Bodies contain customers' addresses and must not get into a log.
  dataTraceEnabled: false,
});

type Props = { readonly tables: Tables; readonly settings: Settings };

/** The REST API: each endpoint with its own function, every error in the one envelope. */
export class TaxApi extends Construct {
  readonly #props: Props;
  readonly #api: RestApi;
  readonly #deployment: GradualDeployment | null;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    this.#props = props;
    const { name, rollout, waf, wafRequestsPerAddress: requestsPerAddress, domain } = props.settings;
    this.#api = this.#restApi();
    const config = gradually[rollout];
    const api = { ApiName: name, Stage: stageName };
    this.#deployment = config && new GradualDeployment(this, 'Deployments', { config, api });
    // Before the methods: API Gateway prefers the exact method, but in SAM CLI the last one of a template wins.
    this.#refuseOtherMethods();
    for (const endpoint of this.#endpoints()) this.#add(endpoint);
    for (const response of gatewayResponses) {
      const name = response.type.responseType.toLowerCase().replaceAll('_', '-');
      this.#api.addGatewayResponse(pascalCase(name), response);
    }
    if (waf) new Firewall(this, 'Firewall', { api: this.#api, name, requestsPerAddress });
    const { settings } = props;
    if (domain) new CustomDomain(this, 'Domain', { api: this.#api, stageName, domainName: domain, settings });
    this.#acknowledge();
  }

  /** Without a trailing slash, so that a path can be appended. */
  get url(): string {
    const { domain } = this.#props.settings;
    const host = domain ?? `${this.#api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    return `https://${host}/${this.#api.deploymentStage.stageName}`;
  }

  #restApi(): RestApi {
    const { settings } = this.#props;
    const accessLog = logGroup(this, 'AccessLog', settings);
    const api = new RestApi(this, 'Api', {
      // The only dimension that distinguishes its metrics.
      restApiName: settings.name,
      endpointTypes: [EndpointType.REGIONAL],
      // Independent of `domain`: clients use this address until the DNS and they have moved.
      disableExecuteApiEndpoint: settings.awsAddress === 'shut',
      // Compresses pages of lists and the documentation. A calculation is shorter and skips the delay.
      minCompressionSize: Size.kibibytes(16),
      // One role per account and region lets API Gateway write logs. Retained, because other APIs may use it.
      ...(settings.gatewayLogRole === 'make'
        ? { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN }
        : { cloudWatchRole: false }),
      deployOptions: {
        stageName,
        tracingEnabled: settings.tracing,
        ...methodSettings(settings),
        throttlingRateLimit: throttle.ratePerSecond,
        throttlingBurstLimit: throttle.burst,
        methodOptions: documentMethods(methodSettings(settings)),
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
    });
    // A fixed id: another logical id would create another API at another address.
    const resource = api.node.defaultChild as CfnRestApi;
    resource.overrideLogicalId('Api');
    // The default of a regional API and of its custom domain accepts TLS 1.0.
    resource.securityPolicy = tls;
    resource.endpointAccessMode = 'BASIC';
    // Otherwise API Gateway creates it with the first error, without a retention.
    const executionLog = logGroup(
      this,
      'ExecutionLog',
      settings,
      `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`,
    );
    api.deploymentStage.node.addDependency(executionLog);
    // The stack has its own output with a stable name.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  #refuseOtherMethods(): void {
    const paths = new Set(this.#endpoints().map(({ path }) => path));
    const offered = Object.fromEntries(Object.entries(methodsByPath).filter(([path]) => paths.has(path)));
    const environment = { [methodsVariable]: JSON.stringify(offered) };
    const called = this.#published('method-not-allowed', { actions: {} }, environment);
    // One permission for all paths: LambdaIntegration adds one for each, and a stack has at most 500 resources.
    called.addPermission('Invocation', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.#api.arnForExecuteApi('*', '/*', stageName),
    });
    const uri = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${called.functionArn}/invocations`;
    const refuse = new Integration({ type: IntegrationType.AWS_PROXY, integrationHttpMethod: 'POST', uri });
    for (const path of paths) this.#api.root.resourceForPath(path).addMethod('ANY', refuse);
  }

  #endpoints(): readonly Endpoint<Operation>[] {
    const { settings } = this.#props;
    return Object.values(endpoints).filter(({ name }) => name !== 'get-console' || settings.console);
  }

  #add({ name, method, path, scope, access }: Endpoint<Operation>): void {
    const { oidc } = this.#props.settings;
    const integration = this.#integration(name, access, scope || name === 'get-console' ? oidc : {});
    this.#api.root.resourceForPath(path).addMethod(method, integration);
  }

  #integration(entry: Entry, access: TableAccess, environment: Record<string, string>): LambdaIntegration {
    // The console's test button would need a second permission on each function.
    return new LambdaIntegration(this.#published(entry, access, environment), { allowTestInvoke: false });
  }

  #published(entry: Entry, access: TableAccess, environment: Record<string, string>): IFunction {
    const handler = new EndpointFunction(this, entry, { ...this.#props, access, environment });
    Validations.of(handler).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway calls it synchronously: a failure is a response, and no event remains to keep.',
    });
    return handler.publish({ deployment: this.#deployment });
  }

  #acknowledge(): void {
    const logsPolicy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    Validations.of(this.#api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'The handlers validate with the zod schemas that the OpenAPI document is made of, and answer in the envelope.',
      },
      ...(this.#props.settings.tracing ? [] : [{ id: 'Serverless-APIGWXrayEnabled', reason: tracingIsOff }]),
      ...(this.#props.settings.waf
        ? []
        : [{ id: 'AwsSolutions-APIG3', reason: 'A web ACL costs money each month. `-c waf=true` adds one.' }]),
      {
        id: 'AwsSolutions-APIG4',
        reason: 'The handlers authenticate, so that a request needs one Lambda call less.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason: 'Callers are machines with API keys or tokens of an OIDC issuer, not users of a Cognito pool.',
      },
      ...(this.#props.settings.gatewayLogRole === 'make'
        ? [
            {
              id: `AwsSolutions-IAM4[Policy::${logsPolicy}]`,
              reason: 'The account-wide role that lets API Gateway write logs; AWS asks for this very policy.',
            },
          ]
        : []),
    );
  }
}
