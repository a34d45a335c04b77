/**
 * What the bundles take for the SDK's package of documents: its client and its commands.
 *
 * The package does not say that its modules are free of effects, so that its paginators, which we do not use, would
 * come along with the commands under them.
 */
export * from '@aws-sdk/lib-dynamodb/dist-es/commands/index.js';
export { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb/dist-es/DynamoDBDocumentClient.js';
