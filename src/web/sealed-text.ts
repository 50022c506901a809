// Texts in the address of a page that only this service can read. Browsers keep addresses and proxies log them, so what a
// person looks for must not be readable there.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM: bytes of the initialization vector and of the tag. */
const [IV, TAG] = [12, 16] as const;
const CIPHER = 'aes-256-gcm';

export interface SealedTexts {
  /** `page`: the path of the page. The text can't be opened on another one. */
  seal(text: string, page: string): string;
  /** Undefined if the text was changed, or sealed for another page or by another process. */
  open(sealed: string, page: string): string | undefined;
}

/** The key lives as long as the process, so nothing sealed outlives it. */
export function createSealedTexts(): SealedTexts {
  const key = randomBytes(32);
  return {
    seal(text, page) {
      const iv = randomBytes(IV);
      const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG }).setAAD(Buffer.from(page));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, page) {
      const bytes = Buffer.from(sealed, 'base64url');
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV), { authTagLength: TAG })
          .setAAD(Buffer.from(page))
          .setAuthTag(bytes.subarray(IV, IV + TAG));
        return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
