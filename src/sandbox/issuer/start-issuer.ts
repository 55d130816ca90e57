import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Simulation } from '#adapters/issuer';
import { StartupError } from '#platform/errors/startup-error';
import type { Log } from '#platform/observe/log';
import { prepareFolder } from '../folder-lock.ts';
import { type Exit, spawnGuarded } from '../guarded-process.ts';
import type { WebhookTarget } from './deliver-webhooks.ts';

export interface IssuerOptions {
  /** Holds its journal, its vault and the vault's key. */
  folder: string;
  token: string;
  logFile: string;
  /** Default, and with 0: a free port. */
  port?: number;
  /** Not stored: pass it at each start, here or by `setWebhook`. */
  webhook?: WebhookTarget;
  clockOffsetMs?: number;
  log?: Log;
}

/** `of` is the number of an earlier step, with the purchase that is settled or refunded. */
export type StoryStep = { at: string } & (
  | Extract<Simulation, { kind: 'authorization' | 'decline' | 'collateral-deposit' }>
  | { kind: 'settlement' | 'refund'; of: number; amount?: string }
);

export interface SandboxIssuer {
  url: string;
  pid: number;
  exited: Promise<Exit>;
  /** Where events go from now on, waiting ones first. */
  setWebhook(target: WebhookTarget): Promise<void>;
  /** How far its clock is ahead of the machine's. */
  setClock(offsetMs: number): Promise<void>;
  /** Has merchants and payers act at other times; no webhook is sent of it. */
  tellStory(steps: readonly StoryStep[]): Promise<void>;
  stop(): Promise<void>;
}

const millisecondsToListen = 120_000;
const callTimeoutMs = 60_000;
// server.ts in a checkout, server.js in a package.
const serverFile = path.join(import.meta.dirname, `server${path.extname(import.meta.filename)}`);

/**
 * Starts the sandbox's card issuer: a process that does not outlive this one, on what an earlier one left in
 * the folder.
 */
export async function startIssuer(options: IssuerOptions): Promise<SandboxIssuer> {
  const { token, logFile, port = 0, webhook, clockOffsetMs = 0, log } = options;
  const folder = await prepareFolder(options.folder);
  const listeningFile = path.join(folder, 'listening.json');
  await rm(listeningFile, { force: true });
  const logStart = existsSync(logFile) ? (await stat(logFile)).size : 0;
  const running = await spawnGuarded({
    command: process.execPath,
    args: [serverFile],
    // Neither the database URL nor any of our secrets.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ISSUER_FOLDER: folder,
      ISSUER_PORT: String(port),
      ISSUER_TOKEN: token,
      ISSUER_WEBHOOK_URL: webhook?.url,
      ISSUER_WEBHOOK_SECRET: webhook?.secret,
      ISSUER_CLOCK_OFFSET_MS: String(clockOffsetMs),
    },
    stopSignal: 'SIGTERM',
    logFile,
  });
  let [exit, isStopping]: [Exit | undefined, boolean] = [undefined, false];
  void running.exited.then((itsExit) => {
    exit = itsExit;
    if (!isStopping && listening) log?.error({ ...itsExit }, 'the card issuer stopped');
  });
  const stop = () => {
    isStopping = true;
    return running.stop();
  };

  let listening: string | undefined;
  for (const deadline = Date.now() + millisecondsToListen; !listening; await sleep(10)) {
    listening = await readAddress(listeningFile, running.pid);
    if (!listening && (exit || Date.now() > deadline)) {
      await stop();
      throw new StartupError(`The card issuer did not start: ${await readWords(logFile, logStart)}`);
    }
  }
  const url = listening;

  const ask = (where: string, body: unknown) =>
    fetch(`${url}/v1/${where}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  const put = async (where: string, body: unknown) => {
    // The issuer may close a kept-alive connection just as it is reused; repeating the request has no effect.
    const response = await ask(where, body).catch(() => ask(where, body));
    await response.body?.cancel();
    if (!response.ok)
      throw new Error(`the sandbox's issuer answered ${where} with status ${response.status}`);
  };
  return {
    url,
    pid: running.pid,
    exited: running.exited,
    setWebhook: (target) => put('webhook', target),
    setClock: (offsetMs) => put('clock', { offsetMs }),
    tellStory: (steps) => put('story', { steps }),
    stop,
  };
}

/** A file of another process is from an earlier one that was killed. */
async function readAddress(file: string, pid: number): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const listening = text === undefined ? undefined : (JSON.parse(text) as { pid: number; port: number });
  return listening?.pid === pid ? `http://127.0.0.1:${listening.port}` : undefined;
}

async function readWords(logFile: string, start: number): Promise<string> {
  const lines = (await readFile(logFile)).subarray(start).toString().trim().split('\n');
  for (const line of lines) {
    try {
      const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
      if (level === 'fatal' && msg) return msg;
    } catch {
      // Not a log line, but output of Node.
    }
  }
  return `see ${logFile}.`;
}
