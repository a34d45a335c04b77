import { CfnElement, CfnOutput, CfnParameter, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  type Conditions,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Converts `create-calculation` to `CreateCalculation`: CloudFormation allows no hyphens in names. */
export const pascalCase = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Sets a resource's logical id to a value that does not depend on the construct's path. */
export const fixLogicalId = (construct: Construct, id: string): void => {
  const element = CfnElement.isCfnElement(construct) ? construct : construct.node.defaultChild;
  (element as CfnElement).overrideLogicalId(id);
};

/** Common base of a deployment's two stacks. */
export abstract class LevyStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, description: string) {
    super(scope, id, {
      description: `Levy: ${description}`,
      stackName: `${id}${settings.suffix}`,
      // Deleting the data stack loses the ledger's backups; deleting the service stack loses the API's address.
      terminationProtection: settings.removal === 'retain',
    });
    // Rules of cfn-lint, which `sam validate --lint` runs, that do not apply. The CDK makes a function depend on its
    // role, which it also references (W3005).
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
    Validations.of(this).acknowledge({
      id: 'CloudFormation-Validate::W2001',
      reason: 'No resource references the parameter: it exists only to be required.',
    });
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
  const group = new LogGroup(scope, id, {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(logGroupName !== undefined && { logGroupName }),
  });
  fixLogicalId(group, id);
  return group;
};

/**
 * Creates a role of an AWS service with inline permissions. CDK's Role creates a separate policy resource, which
 * CloudFormation can create after the resource that needs it.
 */
export class ServiceRole extends Role {
  readonly #permissions: PolicyDocument;

  /** `service` is the first label of the principal, such as `lambda`. */
  constructor(scope: Construct, id: string, service: string, conditions: Conditions = {}) {
    const permissions = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal(`${service}.amazonaws.com`, { conditions }),
      inlinePolicies: { Permissions: permissions },
    });
    this.#permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }

  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }
}
