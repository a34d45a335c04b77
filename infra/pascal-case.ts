/** `create-calculation` as `CreateCalculation`: the form in which CloudFormation takes a name. */
export const pascalCase = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
