/**
 * What the SDK keeps discovered endpoints in. None of our operations discovers one: the region says where DynamoDB is.
 *
 * The bundles take this file instead of a least-recently-used cache and the collections library under it.
 */
export class EndpointCache {}
