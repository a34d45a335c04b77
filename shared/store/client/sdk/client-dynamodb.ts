/** What the bundles take for the SDK's package of DynamoDB: its commands and errors, and our smaller client. */
export * from '@aws-sdk/client-dynamodb/dist-es/commands/index.js';
export * from '@aws-sdk/client-dynamodb/dist-es/models/errors.js';
export { DynamoDBClient } from './client.ts';
