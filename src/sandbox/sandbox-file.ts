import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DevnetNetwork } from './devnet/index.ts';

interface SandboxUser {
  id: string;
  email: string;
  wallet: string;
  /** Who holds the keys of the wallet. */
  custody: 'platform' | 'self';
}

export interface SandboxKey {
  id: string;
  token: string;
  scopes: string[];
}

interface SandboxCard {
  id: string;
  cardIssuerUserId: string;
}

/**
 * `.causeway/sandbox.json`: everything that a tool or a test needs to use a running sandbox. Features fill in
 * their part.
 */
export interface SandboxFile {
  /**
   * Origins: the contract's paths are appended, as in `{historyUrl}/api/history`,
   * `{operatorUrl}/operator/users.list`.
   */
  baseUrl: string;
  historyUrl: string;
  mcpUrl: string;
  operatorUrl: string;
  operatorToken: string;
  /** Makes sign-in links only, as the backend of a login would. */
  loginToken: string;
  /** The partner of most keys. */
  partner: { id: string };
  partners: Record<'main' | 'other', { id: string }>;
  users: Record<'owner' | 'friend' | 'stranger' | 'blocked' | 'business', SandboxUser>;
  /** The owner's at the main partner, unless their name says otherwise. */
  keys: Record<
    | 'full'
    | 'readOnly'
    | 'noMcp'
    | 'expired'
    | 'ipLocked'
    | 'revoked'
    | 'suspended'
    | 'otherPartner'
    | 'friend'
    | 'business',
    SandboxKey
  >;
  /** `main`, and `other` to try access to what is not its own. */
  integrations: Record<'main' | 'other', { id: string; apiKey: string }>;
  /** The owner's consents to `main`, by their state; `foreign` is to `other`. */
  consents: Record<'active' | 'revoked' | 'expired' | 'rejected' | 'foreign', string>;
  /** Operation ids of some of the owner's ledger lines: a conversion, one between networks, and so on. */
  ledger: Record<'swap' | 'bridge' | 'transfer' | 'late', string>;
  /** Ids of the owner's unsettled records, by status. */
  unsettled: Record<string, string>;
  /** `bulkId` of some of the owner's withdrawals, by how they end, or why they do not. */
  withdrawals: Record<
    | 'completed'
    | 'insufficientBalance'
    | 'receiverBlocked'
    /** Pending, because its key is suspended. */
    | 'waiting'
    /** Pending, because its hot wallet has no gas. */
    | 'waitingForGas'
    /** Sent, at a fee that no block accepts. */
    | 'processing',
    string
  >;
  /** The owner's cards by status, on two accounts at the issuer. */
  cards: Record<'active' | 'locked' | 'inactive' | 'canceled' | 'travel', SandboxCard>;
  /**
   * The devnets: where their nodes are, which tokens they have, and the wallet that withdrawals are paid
   * from.
   */
  networks: Record<string, DevnetNetwork>;
  /** The card issuer, a separate server. */
  cardIssuer: { url: string; token: string };
  /** The main partner's webhook endpoint, at `/sandbox/inbox`. */
  webhook: { endpointId: string; secret: string; publicKeys: string[] };
}

/** What is known before the server listens. */
export type SandboxFacts = Omit<SandboxFile, 'baseUrl' | 'historyUrl' | 'mcpUrl' | 'operatorUrl' | 'webhook'>;

const fileIn = (home: string) => path.join(home, 'sandbox.json');

export function readSandboxFile(home: string): SandboxFile | undefined {
  const file = fileIn(home);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SandboxFile;
  } catch {
    // An incomplete file, from another program or an editor, counts as missing; each start writes it again.
    return undefined;
  }
}

export function writeSandboxFile(home: string, content: SandboxFile): void {
  writeSecretFile(fileIn(home), `${JSON.stringify(content, null, 2)}\n`);
}

/** Written atomically, and readable only by its owner. */
export function writeSecretFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
