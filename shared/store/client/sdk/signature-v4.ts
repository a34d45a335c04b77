import { createScope, getSigningKey } from '@smithy/signature-v4/dist-es/credentialDerivation.js';
import { getCanonicalHeaders } from '@smithy/signature-v4/dist-es/getCanonicalHeaders.js';
import { getPayloadHash } from '@smithy/signature-v4/dist-es/getPayloadHash.js';
import { prepareRequest } from '@smithy/signature-v4/dist-es/prepareRequest.js';
import {
  SignatureV4Base,
  type SignatureV4CryptoInit,
  type SignatureV4Init,
} from '@smithy/signature-v4/dist-es/SignatureV4Base.js';

type Request = Parameters<typeof prepareRequest>[0];
type Options = { readonly signingDate?: Date; readonly signingRegion?: string; readonly signingService?: string };

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Signs a request in its headers, by AWS Signature Version 4, with the SDK's own steps in the SDK's order.
 *
 * The SDK's class also signs addresses, events and messages of streams, none of which DynamoDB has, and nothing removes
 * methods from a class. A test computes the signature of a bundle's call step by step from what AWS documents.
 */
export class SignatureV4 extends SignatureV4Base {
  constructor(init: SignatureV4Init & SignatureV4CryptoInit) {
    super(init);
  }

  async sign(unsigned: Request, options: Options = {}): Promise<Request> {
    const { signingDate = new Date(), signingService = this.service } = options;
    const credentials = await this.credentialProvider();
    this.validateResolvedCredentials(credentials);
    const region = options.signingRegion ?? (await this.regionProvider());
    const request = prepareRequest(unsigned);
    const { longDate, shortDate } = this.formatDate(signingDate);
    const scope = createScope(shortDate, region, signingService);
    request.headers['x-amz-date'] = longDate;
    if (credentials.sessionToken) request.headers['x-amz-security-token'] = credentials.sessionToken;
    const hash = await getPayloadHash(request, this.sha256);
    if (this.applyChecksum) request.headers['x-amz-content-sha256'] ??= hash;
    const headers = getCanonicalHeaders(request);
    const canonical = this.createCanonicalRequest(request, headers, hash);
    const key = await getSigningKey(this.sha256, credentials, shortDate, region, signingService);
    const signature = new this.sha256(key);
    signature.update(Buffer.from(await this.createStringToSign(longDate, scope, canonical, algorithm)));
    const hexadecimal = Buffer.from(await signature.digest()).toString('hex');
    request.headers['authorization'] =
      `${algorithm} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${this.getCanonicalHeaderList(headers)}, Signature=${hexadecimal}`;
    return request;
  }
}
