import { existsSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callNode } from '../../evm/index.ts';
import type { Log } from '../../platform/log.ts';
import { StartError } from '../../platform/start-error.ts';
import { freePort } from '../free-port.ts';
import { type Exit, type GuardedProcess, spawnGuarded } from '../guarded-process.ts';
import { endFormerAnvil } from './former-anvil.ts';

const startAttempts = 5;
const millisecondsToAnswer = 10_000;
const secondsBetweenSaves = 2;
const statesKept = 32;

export interface AnvilOptions {
  command: string;
  /** Holds the node's state, log and pid under the network's name. */
  folder: string;
  network: string;
  chainId: number;
  log: Log;
}

export interface Anvil {
  rpcUrl: string;
  pid: number;
  exited: Promise<Exit>;
  hasExited(): boolean;
  stop(): Promise<void>;
}

/** The program of the npm package for this platform. */
export function findAnvil(platform: string = process.platform, arch: string = process.arch): string {
  const packageName = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return path.join(path.dirname(manifest), 'bin', 'anvil');
  } catch {
    throw new StartError(`The package ${packageName} with an EVM node for the sandbox is not installed.`);
  }
}

/** Starts one node on the state that an earlier run left, or on an empty chain where there is none that can be read. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { command, folder, network, chainId, log } = options;
  const fileOf = (ending: string) => path.join(folder, `${network}.${ending}`);
  const [stateFile, logFile, pidFile] = [fileOf('json'), fileOf('log'), fileOf('pid')];
  await endFormerAnvil(pidFile, stateFile);

  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const rpcUrl = `http://127.0.0.1:${port}`;
    const logStart = existsSync(logFile) ? (await stat(logFile)).size : 0;
    const running = await spawnGuarded({
      command,
      args: ['--host', '127.0.0.1', '--port', String(port), ...nodeArgs(chainId, stateFile)],
      cwd: folder,
      // Whatever anvil keeps in a home folder belongs to this sandbox, and settings of another anvil do not.
      env: { PATH: process.env.PATH, HOME: folder },
      stopSignal: 'SIGINT',
      logFile,
    });
    await writeFile(pidFile, `${running.pid}\n`);
    let exit: Exit | undefined;
    void running.exited.then((itsExit) => {
      exit = itsExit;
    });
    const failure = await failureToAnswer(running, () => exit, rpcUrl, chainId);
    if (failure === undefined) {
      const { pid, exited, stop } = running;
      return { rpcUrl, pid, exited, stop, hasExited: () => exit !== undefined };
    }
    await running.stop();
    const words = (await readFile(logFile)).subarray(logStart).toString();
    const isPortTaken = words.includes('Address already in use');
    const isStateTorn = words.includes('failed to parse json file') && existsSync(stateFile);
    if ((isPortTaken || isStateTorn) && attempt < startAttempts) {
      if (isStateTorn) await setAside(stateFile, network, log);
      continue;
    }
    const said = words.trim().split('\n')[0] || 'its log is empty';
    throw new StartError(`The ${network} devnet did not start, ${failure}: ${said} (see ${logFile}).`);
  }
}

function nodeArgs(chainId: number, stateFile: string): string[] {
  return [
    ...['--quiet', '--accounts', '0', '--chain-id', String(chainId), '--slots-in-an-epoch', '2'],
    ...['--state', stateFile, '--state-interval', String(secondsBetweenSaves)],
    // Otherwise the state after every block is kept, by the gigabyte. That after each of the latest blocks can be asked for:
    // a payout is judged by a block that others lie on. A restart keeps only the very latest, and new blocks bring the rest.
    ...['--prune-history', String(statesKept)],
  ];
}

/** The state is written in place, so a machine that loses power, or a killed anvil, leaves half of it. */
async function setAside(stateFile: string, network: string, log: Log): Promise<void> {
  const aside = `${stateFile}.unreadable-${Date.now()}`;
  await rename(stateFile, aside);
  log.warn({ network, movedTo: aside }, 'the devnet’s state cannot be read; starting on an empty chain');
}

async function failureToAnswer(
  running: GuardedProcess,
  exitOf: () => Exit | undefined,
  rpcUrl: string,
  chainId: number,
): Promise<string | undefined> {
  const deadline = Date.now() + millisecondsToAnswer;
  while (Date.now() < deadline) {
    const answer = callNode<string>({ rpcUrl, method: 'eth_chainId', timeoutMs: 1_000 }).catch(
      () => undefined,
    );
    const answered = await Promise.race([answer, running.exited.then(() => undefined)]);
    const exit = exitOf();
    if (exit) return `it ended with ${exit.signal ?? `code ${exit.code}`}`;
    if (Number(answered) === chainId) return undefined;
    await sleep(10);
  }
  return `it did not answer within ${millisecondsToAnswer / 1_000} seconds`;
}
