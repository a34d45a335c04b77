import { Aws, RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  type CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { endpoints, methodsByPath, type Operation } from '../functions/endpoints.ts';
import { methodsVariable } from '../functions/method-not-allowed.ts';
import type { Endpoint } from '../shared/api/endpoint.ts';
import type { TableAccess } from '../shared/store/table-access.ts';
import { apiDefinition, documentMethods, type Method, throttle } from './api-definition.ts';
import type { Entry } from './bundling.ts';
import { CustomDomain, tls } from './custom-domain.ts';
import { type Deployment, EndpointFunction, tracingIsOff } from './endpoint-function.ts';
import { Firewall } from './firewall.ts';
import { addGradualDeployment } from './gradual-deployment.ts';
import { logGroup } from './log-group.ts';
import { fixLogicalId } from './logical-id.ts';
import { stageName } from './monitoring/metrics.ts';

/** Responses from this size on are compressed: pages of lists and the documentation. A calculation is shorter and skips the delay. */
const compressed = Size.kibibytes(16);

/** The REST API: each endpoint with its own function, every error in the one envelope. */
export class TaxApi extends Construct {
  readonly #deployment: Deployment;
  readonly #api: SpecRestApi;
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
    // ANY first: API Gateway prefers the exact method, but in SAM CLI the last one of a template wins.
    this.#api = this.#restApi([...[...paths].map((path) => ({ path, method: 'ANY', called: others })), ...methods]);
    this.#allow(others, '*', '/*');
    for (const { path, method, called } of methods) this.#allow(called, method, path);
    addGradualDeployment(this, settings, this.#functions);
    if (settings.waf) new Firewall(this, 'Firewall', this.#api, settings);
    if (settings.domain !== null) new CustomDomain(this, 'Domain', this.#api, settings.domain, settings);
    this.#acknowledge();
  }

  /** Without a trailing slash, so that a path can be appended. */
  get url(): string {
    const { domain } = this.#deployment.settings;
    const host = domain ?? `${this.#api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    return `https://${host}/${this.#api.deploymentStage.stageName}`;
  }

  #restApi(methods: readonly Method[]): SpecRestApi {
    const { settings } = this.#deployment;
    // Independent of `domain`: clients use this address until the DNS and they have moved.
    const disableExecuteApiEndpoint = settings.awsAddress === 'shut';
    const methodSettings = {
      metricsEnabled: settings.methodMetrics,
      loggingLevel: MethodLoggingLevel.ERROR,
      // Bodies hold customers' addresses and must not get into a log.
      dataTraceEnabled: false,
    };
    // Also in the definition, whose import replaces what it does not name.
    const definition = apiDefinition(settings.name, methods, {
      'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint },
      'x-amazon-apigateway-minimum-compression-size': compressed.toBytes(),
      'x-amazon-apigateway-security-policy': tls,
      'x-amazon-apigateway-endpoint-access-mode': 'BASIC',
    });
    const api = new SpecRestApi(this, 'Api', {
      apiDefinition: ApiDefinition.fromInline(definition),
      // The only dimension that distinguishes its metrics.
      restApiName: settings.name,
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint,
      minCompressionSize: compressed,
      // One role per account and region lets API Gateway write logs. Retained, because other APIs may use it.
      ...(settings.gatewayLogRole === 'make'
        ? { cloudWatchRole: true, cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN }
        : { cloudWatchRole: false }),
      deployOptions: {
        stageName,
        tracingEnabled: settings.tracing,
        ...methodSettings,
        throttlingRateLimit: throttle.ratePerSecond,
        throttlingBurstLimit: throttle.burst,
        methodOptions: documentMethods(methodSettings),
        accessLogDestination: new LogGroupLogDestination(logGroup(this, 'AccessLog', settings)),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
    });
    // Another logical id would create another API at another address.
    fixLogicalId(api, 'Api');
    // The default of a regional API accepts TLS 1.0. This also applies to its custom domain.
    const resource = api.node.defaultChild as CfnRestApi;
    resource.securityPolicy = tls;
    resource.endpointAccessMode = 'BASIC';
    // Otherwise API Gateway creates it with the first error, without a retention.
    const name = `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`;
    api.deploymentStage.node.addDependency(logGroup(this, 'ExecutionLog', settings, name));
    // The stack has its own output with a stable name.
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
    Validations.of(handler).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway calls it synchronously: a failure is a response, and no event remains to keep.',
    });
    this.#functions.push(handler);
    return handler.publish();
  }

  /** Let API Gateway call a function for a method of a path. */
  #allow(called: IFunction, method: string, path: string): void {
    called.addPermission('Invocation', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.#api.arnForExecuteApi(method, path.replaceAll(/\{\w+\}/g, '*'), stageName),
    });
  }

  #acknowledge(): void {
    const { gatewayLogRole, tracing, waf } = this.#deployment.settings;
    const logsPolicy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    Validations.of(this.#api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'The handlers validate with the zod schemas that the OpenAPI document is made of, and answer in the envelope.',
      },
      ...(tracing ? [] : [{ id: 'Serverless-APIGWXrayEnabled', reason: tracingIsOff }]),
      ...(waf
        ? []
        : [{ id: 'AwsSolutions-APIG3', reason: 'A web ACL costs money each month. `-c waf=true` adds one.' }]),
      ...(gatewayLogRole === 'make'
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
