// The thread of the devnets: starts the networks, sends their addresses, and stops on request.
import { parentPort, workerData } from 'node:worker_threads';
import { StartupError } from '#platform/errors/startup-error';
import { createLog } from '#platform/observe/log';
import type { ThreadMessage } from './start-devnet.ts';
import { startNetworks } from './start-networks.ts';

const port = parentPort!;
const send = (message: ThreadMessage) => port.postMessage(message);
const log = createLog({
  level: 'info',
  destination: {
    write(line) {
      const { level, time: _, msg, ...fields } = JSON.parse(line);
      send({ kind: 'log', level, fields, text: msg });
    },
  },
});

const starting = startNetworks({ ...workerData, log });
port.once('message', async () => {
  await starting.then(({ stop }) => stop()).catch(() => {});
  port.close();
});
try {
  const { networks, lost } = await starting;
  send({ kind: 'started', networks });
  void lost.then(({ message }) => send({ kind: 'lost', reason: message }));
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  send({ kind: 'failed', reason: error.message });
}
