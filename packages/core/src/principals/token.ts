import { createHash, randomBytes } from 'node:crypto';

/** Tells those who look for leaked secrets what it is. */
const PREFIX = 'pwpool_';

/** A token of 256 random bits, to be shown once: only its hash is kept. */
export function newToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** SHA-256. A token is random, so nothing slower is needed to keep it from being guessed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
