/** The throttles of the API stage. API Gateway applies them to each method, and the handlers limit each account. */
import type { MethodDeploymentOptions } from 'aws-cdk-lib/aws-apigateway';
import { endpoints } from '../functions/endpoints.ts';

/**
 * The throttle of each method for all accounts together, below the AWS quota of 10,000 a second and bursts of 5,000 in
 * a region.
 */
export const throttle = { ratePerSecond: 5000, burst: 2500 } as const;

/**
 * The throttle of each public document. Anyone can request them, and they are the longest responses of the API: about
 * 1.5 MB for /docs, 0.6 MB for /openapi.json and 0.3 MB for /console without compression. At this rate they send at
 * most 500 GB a day (infra/docs/deployment.md).
 */
export const documentThrottle = { ratePerSecond: 2, burst: 20 } as const;

/**
 * The settings of the public documents, by the path and method that the CDK expects. An override of a method replaces all
 * settings of the stage, so it repeats `stage`. API Gateway refuses an override for the method `ANY` at deployment.
 */
export const documentMethods = (stage: MethodDeploymentOptions): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    Object.values(endpoints)
      .filter(({ scope }) => scope === null)
      .map(({ path, method }) => [
        `${path}/${method}`,
        {
          ...stage,
          throttlingRateLimit: documentThrottle.ratePerSecond,
          throttlingBurstLimit: documentThrottle.burst,
        },
      ]),
  );
