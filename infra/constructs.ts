import { CfnElement, CfnOutput, CfnParameter, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Converts `create-calculation` to `CreateCalculation`: CloudFormation allows no hyphens in names. */
export const pascalCase = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Sets a resource's logical id to a value that does not depend on the construct's path. Returns the construct. */
export const fixLogicalId = <Fixed extends Construct>(construct: Fixed, id: string): Fixed => {
  const element = CfnElement.isCfnElement(construct) ? construct : construct.node.defaultChild;
  (element as CfnElement).overrideLogicalId(id);
  return construct;
};

/** Acknowledges findings about a construct, such as cdk-nag findings, with one reason for all. */
export const acknowledge = (construct: Construct, reason: string, ids: readonly string[]): void =>
  Validations.of(construct).acknowledge(...ids.map((id) => ({ id, reason })));

/** The findings about a statement for all resources. */
export const starFindings = ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'] as const;

/** Returns a statement that allows actions of one service, such as `lambda`. */
export const allowing = (
  service: string,
  actions: readonly string[],
  resources: readonly string[],
  conditions: iam.Conditions = {},
): iam.PolicyStatement =>
  new iam.PolicyStatement({
    actions: actions.map((action) => `${service}:${action}`),
    resources: [...resources],
    conditions,
  });

/** Common base of a deployment's two stacks. */
export abstract class LevyStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, description: string) {
    super(scope, id, {
      description: `Levy: ${description}`,
      stackName: `${id}${settings.suffix}`,
      // Deleting the data stack loses the ledger's backups; deleting the service stack loses the API's address.
      terminationProtection: settings.removal === 'retain',
    });
    // Disables rules of cfn-lint, which `sam validate --lint` runs, because they do not apply. The CDK makes a function
    // depend on its role, which it also references (W3005).
    this.templateOptions.metadata = {
      'cfn-lint': { config: { ignore_checks: ['W3005', ...(settings.sam ? ['W2001'] : [])] } },
    };
    if (settings.sam) this.#refuseDeployment();
  }

  output(id: string, value: string, description: string): void {
    fixLogicalId(new CfnOutput(this, `${id}Output`, { value, description }), id);
  }

  /**
   * Makes the template undeployable: it requires a parameter value that does not exist. Its functions use an emulator,
   * which a deployed function cannot reach. SAM needs values only for referenced parameters.
   */
  #refuseDeployment(): void {
    new CfnParameter(this, 'SamLocalOnly', {
      description: 'This template is for `sam local`. Synthesize one to deploy without `-c sam=true`.',
      // Matches no string, not even the empty one.
      allowedPattern: '[^\\s\\S]',
      constraintDescription: 'a template without `-c sam=true`: this one is for `sam local` only',
    });
    const reason = 'No resource references the parameter: it exists only to be required.';
    acknowledge(this, reason, ['CloudFormation-Validate::W2001']);
  }
}

/**
 * Creates a log group with the deployment's retention, deleted with the stack. Only groups that AWS would otherwise
 * create have a name.
 */
export const logGroup = (
  scope: Construct,
  id: string,
  { logRetention }: Pick<Settings, 'logRetention'>,
  logGroupName?: string,
): LogGroup => {
  const retained = { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY };
  return fixLogicalId(new LogGroup(scope, id, { ...retained, ...(logGroupName && { logGroupName }) }), id);
};

/**
 * Creates a role of an AWS service with inline permissions. CDK's Role creates a separate policy resource, which
 * CloudFormation can create after the resource that needs it.
 */
export class ServiceRole extends iam.Role {
  readonly #permissions: iam.PolicyDocument;

  /** `service` is the first label of the principal, such as `lambda`. */
  constructor(scope: Construct, id: string, service: string, conditions: iam.Conditions = {}) {
    const permissions = new iam.PolicyDocument();
    super(scope, id, {
      assumedBy: new iam.ServicePrincipal(`${service}.amazonaws.com`, { conditions }),
      inlinePolicies: { Permissions: permissions },
    });
    this.#permissions = permissions;
  }

  override addToPrincipalPolicy(statement: iam.PolicyStatement): iam.AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }

  allow(...allowed: Parameters<typeof allowing>): void {
    this.addToPolicy(allowing(...allowed));
  }
}
