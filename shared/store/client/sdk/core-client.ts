/**
 * The steps of a call that the bundles take from the SDK's core.
 *
 * The core's module of them is marked as one with effects, so that its table of all partitions and regions would come
 * along. A step that is missing here ends the build.
 */
export { getHostHeaderPlugin } from '@aws-sdk/core/dist-es/submodules/client/middleware-host-header/hostHeaderMiddleware.js';
export { getRecursionDetectionPlugin } from '@aws-sdk/core/dist-es/submodules/client/middleware-recursion-detection/getRecursionDetectionPlugin.js';
export { setCredentialFeature } from '@aws-sdk/core/dist-es/submodules/client/setCredentialFeature.js';
export { setFeature } from '@aws-sdk/core/dist-es/submodules/client/setFeature.js';
