import {
  type AddToPrincipalPolicyResult,
  type Conditions,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

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
