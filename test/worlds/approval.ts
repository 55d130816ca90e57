import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import { contextFor, type PersonActor } from '#context';
import { relyingPartyOf } from '#features/people';
import type { Harness } from '#test/harness';

/** A passkey in software, for tests of what the server checks; browsers' are in people-world.ts. */
export interface SoftPasskey {
  personId: string;
  credentialId: Buffer;
  privateKey: KeyObject;
}

interface Staff {
  kind?: 'operator' | 'partner';
  partnerId?: string;
  role: string;
  name?: string;
}

/** A member of staff with a passkey, as registration would have stored them. */
export async function makeApprover(
  { deps }: Pick<Harness, 'deps'>,
  { kind = 'operator', partnerId, role, name = 'Ana Ribeiro' }: Staff,
): Promise<SoftPasskey> {
  const personId = randomUUID();
  await deps.db.query(
    `insert into people (id, kind, partner_id, role, name, email, created_at) values ($1, $2, $3, $4, $5, $6, now())`,
    [personId, kind, partnerId ?? null, role, name, `${personId}@example.com`],
  );
  return addPasskey({ deps }, personId);
}

/** Another passkey in place of the former one. */
export async function replacePasskey(
  { deps }: Pick<Harness, 'deps'>,
  { personId, credentialId }: SoftPasskey,
): Promise<SoftPasskey> {
  await deps.db.query('delete from person_passkeys where credential_id = $1', [credentialId]);
  return addPasskey({ deps }, personId);
}

async function addPasskey({ deps }: Pick<Harness, 'deps'>, personId: string): Promise<SoftPasskey> {
  const credentialId = randomBytes(32);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  // As COSE has it: kty EC2, alg ES256, crv P-256, x and y of 32 bytes.
  const bytes = (text: string | undefined) => Buffer.from(text!, 'base64url');
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    bytes(x),
    Buffer.from('225820', 'hex'),
    bytes(y),
  ]);
  await deps.db.query(
    `insert into person_passkeys (credential_id, person_id, public_key, counter, transports, is_backed_up, created_at)
     values ($1, $2, $3, 0, '{}', false, now())`,
    [credentialId, personId, cose],
  );
  return { personId, credentialId, privateKey };
}

export const personContext = ({ deps }: Pick<Harness, 'deps'>, { personId }: SoftPasskey) =>
  contextFor(deps, { kind: 'person', personId } satisfies PersonActor, deps.log);

/** What a browser answers when the person confirms a challenge. */
export function assertionOf(
  { deps }: Pick<Harness, 'deps'>,
  { credentialId, privateKey }: Omit<SoftPasskey, 'personId'>,
  challenge: string,
  { origin = relyingPartyOf(deps).origin, flags = 0x05 } = {},
) {
  const clientData = Buffer.from(
    JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }),
  );
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
  const authenticatorData = Buffer.concat([
    sha256(relyingPartyOf(deps).id),
    Buffer.from([flags]),
    Buffer.alloc(4),
  ]);
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
  const id = credentialId.toString('base64url');
  return {
    id,
    rawId: id,
    type: 'public-key' as const,
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    },
  };
}
