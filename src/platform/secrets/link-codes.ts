import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/**
 * Small values in links: a text that only this deployment can make, and only this deployment can read.
 *
 *   master key version, 2 bytes | nonce, 12 bytes | AES-256-GCM of the value | tag, 16 bytes, as base64url
 *
 * The nonce is an HMAC of the value, so that the same value is always the same text. It opens for as long as
 * its master key is configured.
 */
export interface LinkCodes {
  sealCode(purpose: string, value: Buffer): string;
  /** Undefined for a text that was not made here for this purpose. */
  openCode(purpose: string, code: string): Buffer | undefined;
}

const overheadBytes = 2 + 12 + 16;

export function createLinkCodes(masterKeys: ReadonlyMap<number, Buffer>): LinkCodes {
  const newest = Math.max(...masterKeys.keys());
  return {
    sealCode(purpose, value) {
      const [key, nonceKey] = deriveKeys(masterKeys.get(newest)!, purpose);
      const version = Buffer.alloc(2);
      version.writeUInt16BE(newest);
      const nonce = createHmac('sha256', nonceKey).update(value).digest().subarray(0, 12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(version);
      const sealed = [version, nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
    openCode(purpose, code) {
      const bytes = Buffer.from(code, 'base64url');
      if (bytes.length <= overheadBytes || bytes.toString('base64url') !== code) return undefined;
      const masterKey = masterKeys.get(bytes.readUInt16BE(0));
      if (!masterKey) return undefined;
      const [key] = deriveKeys(masterKey, purpose);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(2, 14), { authTagLength: 16 });
      decipher.setAAD(bytes.subarray(0, 2)).setAuthTag(bytes.subarray(-16));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(14, -16)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

function deriveKeys(masterKey: Buffer, purpose: string): [key: Buffer, nonceKey: Buffer] {
  const both = Buffer.from(hkdfSync('sha256', masterKey, '', `link code ${purpose}`, 64));
  return [both.subarray(0, 32), both.subarray(32)];
}
