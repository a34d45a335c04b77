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

/** `create-calculation` as `CreateCalculation`: CloudFormation allows no hyphens in names. */
export const pascalCase = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Sets the logical id of a construct's resource to one that does not depend on the construct's path. */
export const fixLogicalId = (construct: Construct, id: string): void => {
  const element = CfnElement.isCfnElement(construct) ? construct : construct.node.defaultChild;
  (element as CfnElement).overrideLogicalId(id);
};

/** What the two stacks of a deployment have in common. */
export abstract class LevyStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, description: string) {
    super(scope, id, {
      description: `Levy: ${description}`,
      stackName: `${id}${settings.suffix}`,
      // Without the data stack the ledger has no backups; without the service stack the API loses its address.
      terminationProtection: settings.removal === 'retain',
    });
    // Rules of cfn-lint, and so of `sam validate --lint`, that do not apply. The CDK makes a function depend on its role, which it
    // refers to as well (W3005).
    this.templateOptions.metadata = {
      'cfn-lint': { config: { ignore_checks: ['W3005', ...(settings.sam ? ['W2001'] : [])] } },
    };
    if (settings.sam) this.#refuseDeployment();
  }

  output(id: string, value: string, description: string): void {
    fixLogicalId(new CfnOutput(this, `${id}Output`, { value, description }), id);
  }

  /**
   * Make the template undeployable: it needs a parameter value that does not exist. Its functions use an emulator, which a
   * deployed function cannot reach. SAM needs values only for parameters that are referenced.
   */
  #refuseDeployment(): void {
    new CfnParameter(this, 'SamLocalOnly', {
      description: 'This template is for `sam local`. Synthesize one to deploy without `-c sam=true`.',
      // No text matches, not even the empty one.
      allowedPattern: '[^\\s\\S]',
      constraintDescription: 'a template without `-c sam=true`: this one is for `sam local` only',
    });
    Validations.of(this).acknowledge({
      id: 'CloudFormation-Validate::W2001',
      reason: 'No resource refers to the parameter: its only purpose is to be required.',
    });
  }
}

/** A log group with the deployment's retention, deleted with the stack. Only groups that AWS would create itself have a name. */
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
 * A role of an AWS service with its permissions in the role itself. CDK's role puts them into a policy of its own: one more
 * resource for each role, which CloudFormation may create after the resource that needs it.
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
