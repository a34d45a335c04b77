import { CfnParameter, type Stack, Validations } from 'aws-cdk-lib';

/**
 * Make a template undeployable: it needs a parameter value that does not exist. Its functions use an emulator, which a
 * deployed function cannot reach. SAM needs values only for parameters that are referenced.
 */
export const refuseDeployment = (stack: Stack): void => {
  new CfnParameter(stack, 'SamLocalOnly', {
    description: 'This template is for `sam local`. Without `-c sam=true` there is one to deploy.',
    // Not even the empty text.
    allowedPattern: '[^\\s\\S]',
    constraintDescription: 'a template without `-c sam=true`: this one is for `sam local` only',
  });
  Validations.of(stack).acknowledge({
    id: 'CloudFormation-Validate::W2001',
    reason: 'Nothing refers to the parameter: it is there to be asked for.',
  });
};
