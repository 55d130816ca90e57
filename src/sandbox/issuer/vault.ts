import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EncryptedSecrets } from '#adapters/issuer';
import { StartupError } from '#platform/errors/startup-error';
import { createSealer, type Sealer } from '#platform/secrets/seal';
import { writeSecretFile } from '../sandbox-file.ts';
import { makeCardCode, makeCardNumber } from './card-number.ts';
import { openJournal } from './journal.ts';
import { encryptSecret } from './reveal.ts';

/**
 * Numbers and codes of cards, and the private key of reveals: in this process and, sealed, in the vault's
 * file.
 */
export interface Vault {
  publicKey: string;
  privateKey: KeyObject;
  has(cardId: string): boolean;
  /** A number and a code for a new card; only the last four digits leave the vault. */
  addCard(cardId: string): { lastFourDigits: string };
  encrypt(cardId: string, key: Buffer): EncryptedSecrets;
  /** Resolves when the cards added until now are on the disk. */
  durable(): Promise<void>;
  close(): Promise<void>;
}

export interface VaultedCard {
  cardId: string;
  number: string;
  code: string;
}

type VaultEntry = { revealKey: string } | { cardId: string; sealed: string };

const vaultFile = (folder: string) => path.join(folder, 'vault.jsonl');
const keyFile = (folder: string) => path.join(folder, 'vault.key');
const revealKeyPlace = 'vault.reveal-key';
const placeOf = (cardId: string) => `vault.cards.${cardId}`;
const modulusBits = 2_048;

export async function openVault(folder: string): Promise<Vault> {
  const sealer = readOrMakeSealer(folder);
  const cards = new Map<string, string>();
  const numbers = new Set<string>();
  let privateKey: KeyObject | undefined;
  const journal = await openJournal<VaultEntry>(vaultFile(folder), (entry) => {
    if ('revealKey' in entry) {
      privateKey = createPrivateKey(open(sealer, revealKeyPlace, entry.revealKey));
      return;
    }
    cards.set(entry.cardId, entry.sealed);
    numbers.add(openCard(sealer, entry.cardId, entry.sealed).number);
  });
  if (!privateKey) {
    privateKey = await makeRevealKey();
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    journal.append({ revealKey: seal(sealer, revealKeyPlace, pem) });
    await journal.durable();
  }

  return {
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string,
    privateKey,
    has: (cardId) => cards.has(cardId),
    addCard(cardId) {
      let number = makeCardNumber();
      while (numbers.has(number)) number = makeCardNumber();
      numbers.add(number);
      const sealed = seal(sealer, placeOf(cardId), JSON.stringify({ number, code: makeCardCode() }));
      cards.set(cardId, sealed);
      journal.append({ cardId, sealed });
      return { lastFourDigits: number.slice(-4) };
    },
    encrypt(cardId, key) {
      const { number, code } = openCard(sealer, cardId, cards.get(cardId)!);
      return { encryptedPan: encryptSecret(key, number), encryptedCvc: encryptSecret(key, code) };
    },
    durable: journal.durable,
    close: journal.close,
  };
}

/** All cards of a vault, for the operator of the sandbox; a server may be running on it. */
export function readVault(folder: string): VaultedCard[] {
  const sealer = readSealer(folder);
  const lines = readFileSync(vaultFile(folder), 'utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const entry = JSON.parse(line.slice(line.indexOf(' ') + 1)) as VaultEntry;
    if ('revealKey' in entry) return [];
    const { cardId, sealed } = entry;
    return [{ cardId, ...openCard(sealer, cardId, sealed) }];
  });
}

function readOrMakeSealer(folder: string): Sealer {
  if (!existsSync(keyFile(folder))) {
    // A new key would open none of the stored cards.
    if (existsSync(vaultFile(folder))) throw new StartupError(`${keyFile(folder)} is missing; restore it.`);
    writeSecretFile(keyFile(folder), `${randomBytes(32).toString('base64')}\n`);
  }
  return readSealer(folder);
}

function readSealer(folder: string): Sealer {
  const key = Buffer.from(readFileSync(keyFile(folder), 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new StartupError(`${keyFile(folder)} is damaged; restore it.`);
  return createSealer(new Map([[1, key]]));
}

async function makeRevealKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: modulusBits });
  return privateKey;
}

const seal = (sealer: Sealer, place: string, text: string) => sealer.seal(place, text).toString('base64');

function open(sealer: Sealer, place: string, sealed: string): string {
  try {
    return sealer.open(place, Buffer.from(sealed, 'base64'));
  } catch (cause) {
    throw new StartupError('The vault does not open with the key beside it.', { cause });
  }
}

function openCard(sealer: Sealer, cardId: string, sealed: string): { number: string; code: string } {
  return JSON.parse(open(sealer, placeOf(cardId), sealed)) as { number: string; code: string };
}
