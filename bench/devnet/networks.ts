// The devnets alone in a process.
import { createLog } from '#platform/observe/log';
import { startNetworks } from '../../src/sandbox/devnet/start-networks.ts';
import type { makeKeys } from './starts.ts';

process.once('message', async (order: { home: string; keys: ReturnType<typeof makeKeys> }) => {
  const { networks, stop } = await startNetworks({ ...order, log: createLog({ level: 'silent' }) });
  process.once('disconnect', stop);
  process.on('message', () => process.send!({ rpcUrl: networks.polygon.rpcUrl }));
  process.send!('ready');
});
