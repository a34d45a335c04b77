import { Aws, type CfnElement, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Allowed, allowedTo } from '../shared/http/grants.ts';
import { type Operation, type Route, routes } from '../shared/http/routes.ts';
import type { Entry } from './bundling.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { gatewayResponses, throttle } from './gateway-responses.ts';
import { pascalCase } from './pascal-case.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

/** The REST API of the route table: each operation with its own function, every error in the one envelope. */
export class TaxApi extends Construct {
  readonly #props: Props;
  readonly #api: RestApi;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    this.#props = props;
    this.#api = this.#restApi();
    // Before the verbs: API Gateway prefers the more exact method, but SAM CLI lets the last one of a template win.
    this.#refuseOtherMethods();
    for (const [operation, route] of Object.entries(routes) as [Operation, Route][]) this.#add(operation, route);
    for (const response of gatewayResponses) {
      const name = response.type.responseType.toLowerCase().replaceAll('_', '-');
      this.#api.addGatewayResponse(pascalCase(name), response);
    }
    this.#acknowledge();
  }

  /** Without a slash at its end, so that a path of the documentation can be written behind it. */
  get url(): string {
    const { restApiId, deploymentStage } = this.#api;
    return `https://${restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${deploymentStage.stageName}`;
  }

  #restApi(): RestApi {
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, 'Api', {
      restApiName: 'Levy',
      endpointTypes: [EndpointType.REGIONAL],
      // The account's one role for API Gateway's logs: kept, as other APIs of the account may have come to need it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: 'v1',
        tracingEnabled: true,
        metricsEnabled: true,
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies hold customers' addresses and must not get into a log.
        dataTraceEnabled: false,
        throttlingRateLimit: throttle.ratePerSecond,
        throttlingBurstLimit: throttle.burst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
    });
    // Never derived from the construct's path: another id would be another API, at another address.
    (api.node.defaultChild as CfnElement).overrideLogicalId('Api');
    // The stack has an output of its own, under a name that stays.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  #refuseOtherMethods(): void {
    const refuse = this.#integration('method-not-allowed', { grants: {} });
    const paths = new Set(Object.values(routes).map(({ path }) => path));
    for (const path of paths) this.#api.root.resourceForPath(path).addMethod('ANY', refuse);
  }

  #add(operation: Operation, { method, path, scope }: Route): void {
    const { oidc } = this.#props.settings;
    const environment = scope ? oidc : {};
    this.#api.root
      .resourceForPath(path)
      .addMethod(method, this.#integration(operation, allowedTo[operation], environment));
  }

  #integration(entry: Entry, allowed: Allowed, environment: Record<string, string> = {}): LambdaIntegration {
    const handler = new EndpointFunction(this, entry, { ...this.#props, ...allowed, environment });
    Validations.of(handler).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway calls it synchronously: a failure is an answer, and no event is left over to keep.',
    });
    // Without the console's test button, which would be a second permission on each function.
    return new LambdaIntegration(handler, { allowTestInvoke: false });
  }

  #acknowledge(): void {
    const logsPolicy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    Validations.of(this.#api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'The handlers validate with the zod schemas that the OpenAPI document is made of, and answer in the envelope.',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason: "A web ACL costs money and depends on an account's other rules: its owner attaches one to the stage.",
      },
      {
        id: 'AwsSolutions-APIG4',
        reason:
          'The handlers authenticate, so that the way to an answer has one Lambda hop less (architecture, decision 2).',
      },
      {
        id: 'AwsSolutions-COG4',
        reason: 'Callers are machines with API keys or tokens of an OIDC issuer, not users of a Cognito pool.',
      },
      {
        id: `AwsSolutions-IAM4[Policy::${logsPolicy}]`,
        reason: 'The account-wide role that lets API Gateway write logs; AWS asks for this very policy.',
      },
    );
  }
}
