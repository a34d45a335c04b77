const { AWS_LAMBDA_FUNCTION_NAME, LOG } = process.env;

/** Whether requests and schedule runs write log lines: always on Lambda, elsewhere with `LOG=requests`. Tests change it. */
export const requestLines = { areOn: AWS_LAMBDA_FUNCTION_NAME !== undefined || LOG === 'requests' };
