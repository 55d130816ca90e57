// A devnet alone in its process.
import { openChain, serveChain } from '../../src/sandbox/devnet/index.ts';

process.once('message', async ({ journalFile }: { journalFile: string }) => {
  const chain = await openChain({ chainId: 137, journalFile });
  const server = await serveChain(async () => chain);
  process.once('disconnect', () => server.stop());
  process.on('message', () => process.send!({ url: server.url }));
  process.send!('ready');
});
