// The sandbox's card issuer, a separate process: card numbers and the private key of reveals are only here.
// Started by start-issuer.ts, which passes all settings in the environment.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, reasonOf, StartupError } from '#platform/errors/startup-error';
import { createLog } from '#platform/observe/log';
import { lockFolder } from '../folder-lock.ts';
import { writeSecretFile } from '../sandbox-file.ts';
import { deliverWebhooks } from './deliver-webhooks.ts';
import { createProtocolServer } from './serve-protocol.ts';
import { openStore } from './store.ts';
import { openVault } from './vault.ts';

/** As long as the guard of a former server, whose supervisor was killed, gives it to stop. */
const lockPatienceMs = 15_000;
const portPatienceMs = 2_000;

const log = createLog({ level: 'info' });

try {
  await run();
} catch (error) {
  if (error instanceof StartupError) log.fatal(error.message);
  else log.fatal({ err: error }, `${reasonOf(error)}.`);
  // Open connections would keep the process alive.
  process.exit(1);
}

async function run(): Promise<void> {
  const { ISSUER_FOLDER: folder, ISSUER_PORT: port, ISSUER_TOKEN: token } = process.env;
  if (!folder || !port || !token)
    throw new StartupError('The sandbox starts its issuer itself: use npm start.');
  const release = await lockPatiently(folder);
  const clock = movableClock(Number(process.env.ISSUER_CLOCK_OFFSET_MS ?? 0));
  const [vault, store] = await Promise.all([openVault(folder), openStore(folder, clock)]);
  const lost = [...store.state.cards.keys()].filter((cardId) => !vault.has(cardId));
  if (lost.length > 0) throw new StartupError(`The vault lacks ${lost.length} of the journal’s cards.`);
  const positionFile = path.join(folder, 'delivered');
  const { durable, state } = store;
  const deliveries = deliverWebhooks({ events: state.events, durable, clock, positionFile, log });
  const { ISSUER_WEBHOOK_URL: url, ISSUER_WEBHOOK_SECRET: secret } = process.env;
  if (url && secret) deliveries.setTarget({ url, secret });

  const server = createProtocolServer({ token, store, vault, deliveries, clock, log });
  const bound = await listenPatiently(server, Number(port));
  writeSecretFile(path.join(folder, 'listening.json'), JSON.stringify({ pid: process.pid, port: bound }));
  log.info({ port: bound, events: state.events.length }, 'listening');

  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await Promise.all([deliveries.stop(), Promise.race([closed, sleep(1_000)])]);
    await store.close();
    await vault.close();
    await release();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
}

async function lockPatiently(folder: string): Promise<() => Promise<void>> {
  for (const deadline = Date.now() + lockPatienceMs; ; await sleep(50)) {
    try {
      return await lockFolder(folder);
    } catch (error) {
      if (Date.now() > deadline || !reasonOf(error).includes('already running')) throw error;
    }
  }
}

/** A given port is that of a former server, whose connections may not be closed yet. */
async function listenPatiently(server: Server, port: number): Promise<number> {
  for (const deadline = Date.now() + portPatienceMs; ; await sleep(50)) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || Date.now() > deadline) throw error;
    }
  }
}

/** The machine's clock, shifted by tests. */
function movableClock(firstOffsetMs: number) {
  let offsetMs = firstOffsetMs;
  const clock = () => new Date(Date.now() + offsetMs);
  const setOffset = (ms: number) => {
    offsetMs = ms;
  };
  return Object.assign(clock, { setOffset });
}
