import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createLinkCodes, type LinkCodes } from './link-codes.ts';

/**
 * Encryption at rest for single values. Each value has a separate data key, wrapped by a master key. Both
 * layers are AES-256-GCM with `place` (table, column and row) as additional data, so that a ciphertext moved
 * elsewhere does not open.
 *
 *   format 1 | master key version, 2 bytes | wrapped data key, 60 bytes | sealed value
 *
 * Rotation is online: add a master key with a higher version and new values use it, while old ones still open
 * until they are sealed again.
 */
export interface Sealer extends LinkCodes {
  seal(place: string, plaintext: string): Buffer;
  open(place: string, sealed: Buffer): string;
  /** The version of the master key that new values are sealed with: bytes 2 and 3 of each. */
  readonly newestVersion: number;
}

const format = 1;
const headerBytes = 3;
const wrappedKeyBytes = 12 + 32 + 16;

export function createSealer(masterKeys: ReadonlyMap<number, Buffer>): Sealer {
  const newest = Math.max(...masterKeys.keys());
  const masterKey = (version: number) => {
    const key = masterKeys.get(version);
    if (!key) throw new Error(`no encryption key of version ${version} is configured`);
    return key;
  };
  return {
    ...createLinkCodes(masterKeys),
    newestVersion: newest,
    seal(place, plaintext) {
      const dataKey = randomBytes(32);
      const header = Buffer.alloc(headerBytes);
      header.writeUInt8(format, 0);
      header.writeUInt16BE(newest, 1);
      const wrapped = encrypt(masterKey(newest), place, dataKey);
      return Buffer.concat([header, wrapped, encrypt(dataKey, place, Buffer.from(plaintext, 'utf8'))]);
    },
    open(place, sealed) {
      if (sealed.readUInt8(0) !== format) throw new Error('sealed value of an unknown format');
      const wrapped = sealed.subarray(headerBytes, headerBytes + wrappedKeyBytes);
      const dataKey = decrypt(masterKey(sealed.readUInt16BE(1)), place, wrapped);
      return decrypt(dataKey, place, sealed.subarray(headerBytes + wrappedKeyBytes)).toString('utf8');
    },
  };
}

function encrypt(key: Buffer, place: string, plaintext: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, place: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(place, 'utf8')).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}
