const { AWS_LAMBDA_FUNCTION_NAME, LOG } = process.env;

/** Whether requests and runs have lines in the log: wherever Lambda runs, and where `LOG=requests` asks; tests switch it. */
export const requestLines = { areOn: AWS_LAMBDA_FUNCTION_NAME !== undefined || LOG === 'requests' };
