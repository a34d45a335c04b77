import { CfnElement } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

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
