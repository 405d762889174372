import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const SALT_BYTES = 16;
/** NIST SP 800-38D: the length that GCM is made for. */
const IV_BYTES = 12;
const KEY_BYTES = 32;
/** RFC 7914. Needs 32 MiB, and is among the settings that OWASP names. Part of format version 1. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

/** What was encrypted, and all but the passphrase to read it. Each field but `data` is short; all are base64. */
export interface SealedText {
  /** Of this text alone, so that one passphrase gives each its own key. */
  salt: string;
  /** Tells a wrong passphrase from damaged data. */
  keyCheck: string;
  iv: string;
  tag: string;
  data: string;
}

/**
 * Encrypts with AES-256-GCM, under a key that scrypt derives from the passphrase.
 * @param header is not encrypted, but bound to the text: `unseal` fails under any other
 */
export async function seal(plain: string, passphrase: string, header: string): Promise<SealedText> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const { key, keyCheck } = await deriveKey(passphrase, salt);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(boundTo(header, salt, keyCheck, iv));
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return {
    salt: salt.toString('base64'),
    keyCheck: keyCheck.toString('base64'),
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

/** Decrypts what `seal` gave: the text, or why there is none. `damaged`: anything but the passphrase is not as it was. */
export async function unseal(
  sealed: SealedText,
  passphrase: string,
  header: string,
): Promise<{ plain: string } | { problem: 'wrong-passphrase' | 'damaged' }> {
  const salt = Buffer.from(sealed.salt, 'base64');
  const iv = Buffer.from(sealed.iv, 'base64');
  const { key, keyCheck } = await deriveKey(passphrase, salt);
  const expected = Buffer.from(sealed.keyCheck, 'base64');
  if (expected.length !== keyCheck.length || !timingSafeEqual(expected, keyCheck)) {
    return { problem: 'wrong-passphrase' };
  }
  try {
    // A shorter tag would be easier to forge.
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: 16 });
    decipher.setAAD(boundTo(header, salt, keyCheck, iv));
    decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
    const plain = Buffer.concat([decipher.update(sealed.data, 'base64'), decipher.final()]);
    return { plain: plain.toString('utf8') };
  } catch {
    return { problem: 'damaged' };
  }
}

function boundTo(header: string, ...parts: readonly Buffer[]): Buffer {
  return Buffer.from([header, ...parts.map((part) => part.toString('base64'))].join('\n'));
}

/** The check is a hash of a second key that is used for nothing else, so it tells nothing of the first. */
async function deriveKey(passphrase: string, salt: Buffer): Promise<{ key: Buffer; keyCheck: Buffer }> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase, salt, 2 * KEY_BYTES, SCRYPT, (error, keys) => (error ? reject(error) : resolve(keys)));
  });
  return {
    key: derived.subarray(0, KEY_BYTES),
    keyCheck: createHash('sha256').update(derived.subarray(KEY_BYTES)).digest().subarray(0, 16),
  };
}
