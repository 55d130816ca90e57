import { createServer } from 'node:net';

/** A port of this machine that is free now; another process may take it before it is used. */
export async function freePort(): Promise<number> {
  const listener = createServer();
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
