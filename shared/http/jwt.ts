/** The library that checks signed tokens. Nothing else: what only this file reaches is a file of its own in a bundle. */
export { SimpleJwksCache } from 'aws-jwt-verify/jwk';
export { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
