import { randomBytes } from 'node:crypto';

/** `evt_` and a UUID of version 7: ordered by time, so that the index of ids grows at its end. */
export function createEventId(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return `evt_${bytes.toString('hex')}`;
}
