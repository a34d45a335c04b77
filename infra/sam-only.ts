import { CfnParameter, type Stack, Validations } from 'aws-cdk-lib';

/**
 * Make a stack's template one that no account takes: it asks for a value which does not exist. Its functions look for an
 * emulator, and deployed they would answer nobody. SAM wants values of the parameters that something refers to only.
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
