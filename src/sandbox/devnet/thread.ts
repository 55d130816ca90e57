// The thread of the devnets: starts the networks that it is told of, says where they are, and stops when asked to.
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../../platform/log.ts';
import { StartError } from '../../platform/start-error.ts';
import type { Word } from './start-devnet.ts';
import { startNetworks } from './start-networks.ts';

const port = parentPort!;
const say = (word: Word) => port.postMessage(word);
const log = createLog({
  level: 'info',
  destination: {
    write(line) {
      const { level, time: _, msg, ...fields } = JSON.parse(line);
      say({ kind: 'log', level, fields, words: msg });
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
  say({ kind: 'started', networks });
  void lost.then(({ message }) => say({ kind: 'lost', reason: message }));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  say({ kind: 'failed', reason: error.message });
}
