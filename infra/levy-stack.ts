import { CfnOutput, CfnParameter, Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';

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
