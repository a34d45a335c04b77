import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The role of a Lambda function with its permissions in the role itself. CDK's role puts them into a policy of its own:
 * one more of the 500 resources of a stack for each function.
 */
export class FunctionRole extends Role {
  readonly #permissions: PolicyDocument;

  constructor(scope: Construct, id: string) {
    const permissions = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Permissions: permissions },
    });
    this.#permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
