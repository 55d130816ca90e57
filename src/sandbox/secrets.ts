import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PrivateKey } from '#adapters/evm';
import { StartupError } from '#platform/errors/startup-error';
import { resetHint } from './reset-hint.ts';
import { writeSecretFile } from './sandbox-file.ts';

export interface SandboxSecrets {
  operatorToken: string;
  /** For a login backend: it makes sign-in links and can do nothing else. */
  loginToken: string;
  encryptionKey: string;
  /** Of the devnets: the issuer of the tokens, the hot wallet, and one without gas on one network. */
  issuerKey: PrivateKey;
  hotWalletKey: PrivateKey;
  spareWalletKey: PrivateKey;
  /** Of the card issuer: our token there, and the secret that signs its webhooks. */
  cardIssuerToken: string;
  cardWebhookSecret: string;
}

/** Generated once for each sandbox, so that no two share a secret. */
export function readOrMakeSecrets(home: string): SandboxSecrets {
  const file = path.join(home, 'secrets.json');
  const known = existsSync(file) ? readSecrets(file) : {};
  const secrets: SandboxSecrets = {
    operatorToken: `cwo_${randomBytes(24).toString('hex')}`,
    loginToken: `cwo_${randomBytes(24).toString('hex')}`,
    encryptionKey: randomBytes(32).toString('base64'),
    issuerKey: newPrivateKey(),
    hotWalletKey: newPrivateKey(),
    spareWalletKey: newPrivateKey(),
    cardIssuerToken: `cwi_${randomBytes(24).toString('hex')}`,
    cardWebhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    ...known,
  };
  // The file of an earlier release may lack a secret that this one needs.
  if (Object.keys(known).length < Object.keys(secrets).length) {
    writeSecretFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  }
  return secrets;
}

// Any 32 random bytes are a valid private key, except with negligible probability.
const newPrivateKey = (): PrivateKey => `0x${randomBytes(32).toString('hex')}`;

function readSecrets(file: string): Partial<SandboxSecrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<SandboxSecrets>;
  } catch (cause) {
    // Never replaced silently: without the encryption key, the database's sealed values are lost.
    throw new StartupError(`${file} cannot be read: restore it. ${resetHint}`, {
      cause,
    });
  }
}
