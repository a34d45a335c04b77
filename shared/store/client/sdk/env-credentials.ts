/**
 * Stands in the bundles for the SDK's default chain of credential providers.
 *
 * On Lambda credentials are in the environment, always. The chain would bring the SSO, STS and profile clients along:
 * 130 KiB, and some ten milliseconds of every cold start.
 */
export const credentials = async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error('There are no AWS credentials in the environment.');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
};
