import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import * as z from 'zod';

const ALGORITHM = 'aes-256-gcm';
const SALT_BYTES = 16;
/** NIST SP 800-38D: the length that GCM is made for. */
const IV_BYTES = 12;
const KEY_BYTES = 32;
/** RFC 7914. Needs 32 MiB, and is among the settings that OWASP names. Part of format version 1. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

/** What was encrypted, and all but the passphrase to read it. Each field but `data` is short; all are base64. */
export const sealedSchema = z.object({
  /** Gives the key, with the passphrase. */
  salt: z.string(),
  /** Tells a wrong passphrase from damaged data. */
  keyCheck: z.string(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
});

export type SealedText = z.infer<typeof sealedSchema>;

/**
 * What scrypt makes of a passphrase and a salt, for any number of texts: that takes a tenth of a second. Texts are encrypted
 * with AES-256-GCM.
 */
export class SealingKey {
  readonly #salt: Buffer;
  readonly #key: Buffer;
  readonly #keyCheck: Buffer;

  private constructor(salt: Buffer, key: Buffer, keyCheck: Buffer) {
    this.#salt = salt;
    this.#key = key;
    this.#keyCheck = keyCheck;
  }

  static async derive(passphrase: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<SealingKey> {
    const { key, keyCheck } = await deriveKey(passphrase, salt);
    return new SealingKey(salt, key, keyCheck);
  }

  /** @param header is not encrypted, but bound to the text: `unseal` fails under any other */
  seal(plain: string, header: string): SealedText {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    cipher.setAAD(boundTo(header, this.#salt, this.#keyCheck, iv));
    const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return {
      salt: this.#salt.toString('base64'),
      keyCheck: this.#keyCheck.toString('base64'),
      iv: iv.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      data: data.toString('base64'),
    };
  }

  /** Decrypts what a key of the same salt has sealed, if it was of the same passphrase too. */
  unseal(sealed: SealedText, header: string): Unsealed {
    const iv = Buffer.from(sealed.iv, 'base64');
    const expected = Buffer.from(sealed.keyCheck, 'base64');
    if (expected.length !== this.#keyCheck.length || !timingSafeEqual(expected, this.#keyCheck)) {
      return { problem: 'wrong-passphrase' };
    }
    try {
      // A shorter tag would be easier to forge.
      const decipher = createDecipheriv(ALGORITHM, this.#key, iv, { authTagLength: 16 });
      decipher.setAAD(boundTo(header, this.#salt, this.#keyCheck, iv));
      decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
      const plain = Buffer.concat([decipher.update(sealed.data, 'base64'), decipher.final()]);
      return { plain: plain.toString('utf8') };
    } catch {
      return { problem: 'damaged' };
    }
  }
}

/** The text, or why there is none. `damaged`: anything but the passphrase is not as it was. */
export type Unsealed = { plain: string } | { problem: 'wrong-passphrase' | 'damaged' };

/** Encrypts one text under a key of its own. */
export async function seal(plain: string, passphrase: string, header: string): Promise<SealedText> {
  return (await SealingKey.derive(passphrase)).seal(plain, header);
}

/** Decrypts what `seal` gave. */
export async function unseal(sealed: SealedText, passphrase: string, header: string): Promise<Unsealed> {
  return (await SealingKey.derive(passphrase, Buffer.from(sealed.salt, 'base64'))).unseal(sealed, header);
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
