import type { Sealer } from '#platform/secrets/seal';
import type { SigningKeys } from './sign.ts';

const placeOf = (endpointId: string) => `webhook_endpoints.secret ${endpointId}`;

export const sealKeys = (sealer: Sealer, endpointId: string, { secret, seed }: SigningKeys): Buffer =>
  sealer.seal(placeOf(endpointId), Buffer.concat([seed, secret]).toString('base64'));

export function openKeys(sealer: Sealer, endpointId: string, sealed: Buffer): SigningKeys {
  const bytes = Buffer.from(sealer.open(placeOf(endpointId), sealed), 'base64');
  return { seed: bytes.subarray(0, 32), secret: bytes.subarray(32) };
}
