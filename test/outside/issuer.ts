import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { createHttpIssuer, type Issuer } from '#adapters/issuer';
import { noteSecret, testFolder } from '#test/harness';
import { type SandboxIssuer, startIssuer } from '../../src/sandbox/issuer/index.ts';

export interface TestIssuer extends Pick<SandboxIssuer, 'url' | 'setClock' | 'tellStory' | 'stop'> {
  issuer: Issuer;
  token: string;
  webhookSecret: string;
  /** Holds its journal and its vault. */
  folder: string;
  /** Where it sends its events from now on, signed with `webhookSecret`. */
  setWebhook(url: string): Promise<void>;
  /** The numbers of all cards, read by another process: until this is called, this process has seen none. */
  vaultNumbers(): Promise<string[]>;
  /** Kills it as a crash would, and restarts it on its files, on the same port. */
  crash(): Promise<void>;
  /** Ends it; every card's number becomes a secret that the last test of the run searches for. */
  stop(): Promise<void>;
}

export interface TestIssuerOptions {
  webhookUrl?: string;
  clockOffsetMs?: number;
}

const printVault = path.resolve(import.meta.dirname, '../../src/sandbox/issuer/print-vault.ts');
const run = promisify(execFile);

/**
 * The sandbox's card issuer in a separate process; a test file calls it once at its top, or `startTestIssuer`
 * where it needs it.
 */
export function useIssuer(options: TestIssuerOptions = {}): TestIssuer {
  const issuer = {} as TestIssuer;
  before(async () => void Object.assign(issuer, await startTestIssuer(options)));
  after(() => issuer.stop?.());
  return issuer;
}

/** The caller stops it. */
export async function startTestIssuer({
  webhookUrl,
  clockOffsetMs,
}: TestIssuerOptions = {}): Promise<TestIssuer> {
  const folder = mkdtempSync(path.join(testFolder(), 'issuer-'));
  const token = noteSecret(`issuer_${randomBytes(24).toString('hex')}`);
  const webhookSecret = noteSecret(`whsec_${randomBytes(32).toString('base64')}`);
  let webhook = webhookUrl === undefined ? undefined : { url: webhookUrl, secret: webhookSecret };
  const logFile = path.join(testFolder(), `${path.basename(folder)}.log`);
  const start = (port: number) => startIssuer({ folder, token, webhook, clockOffsetMs, logFile, port });
  let running = await start(0);
  const { url } = running;

  const vaultNumbers = async () => {
    const { stdout } = await run(process.execPath, [printVault, folder]);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ')[1]!);
  };
  return {
    url,
    issuer: createHttpIssuer({ url, token, timeoutMs: 60_000 }),
    token,
    webhookSecret,
    folder,
    vaultNumbers,
    setClock: (offsetMs) => running.setClock(offsetMs),
    tellStory: (steps) => running.tellStory(steps),
    async setWebhook(target) {
      webhook = { url: target, secret: webhookSecret };
      await running.setWebhook(webhook);
    },
    async crash() {
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
      running = await start(Number(new URL(url).port));
    },
    async stop() {
      await running.stop();
      for (const number of await vaultNumbers()) noteSecret(number);
    },
  };
}
