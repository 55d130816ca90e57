import type { PasskeyRow } from './queries/passkeys.ts';
import type { PersonRow } from './queries/people.ts';
import type { RelyingParty } from './relying-party.ts';

/** How long a person has to answer. */
export const challengeLifetimeMs = 5 * 60_000;

/** Ed25519, ECDSA with SHA-256 and RSA with SHA-256, by their COSE numbers. */
export const algorithms = [-8, -7, -257];

// Loaded when the first person signs in: it takes 200 ms, and workers and the CLI never need it.
const load = () => import('@simplewebauthn/server');

/** For `navigator.credentials.create`. */
export async function creationOptions(
  party: RelyingParty,
  { challenge, person, passkeys }: { challenge: string; person: PersonRow; passkeys: readonly PasskeyRow[] },
) {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(userHandleOf(person.id)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: challengeLifetimeMs,
    attestationType: 'none',
    excludeCredentials: passkeys.map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

/** For `navigator.credentials.get`. Without passkeys the browser offers those that it has for us. */
export async function requestOptions(
  party: RelyingParty,
  { challenge, passkeys = [] }: { challenge: string; passkeys?: readonly PasskeyRow[] },
) {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: challengeLifetimeMs,
    userVerification: 'required',
    allowCredentials: passkeys.map(describe),
  });
}

const describe = ({ credentialId, transports }: PasskeyRow) => ({
  id: credentialId.toString('base64url'),
  transports,
});

/** What a passkey says of its person. */
export const userHandleOf = (personId: string) => Buffer.from(personId.replaceAll('-', ''), 'hex');
