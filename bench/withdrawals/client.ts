import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Client {
  /** Resolves when the answer is read to its end; rejects unless it is a 200. */
  ask(head: string, token: string, body?: string): Promise<void>;
  close(): void;
}

/** One keep-alive connection, as lean as can be: what callers cost is missing to the server. */
export async function openClient(port: number): Promise<Client> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let received = '';
  let settle: { resolve(): void; reject(error: Error): void } | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    if (!isWhole(received, headEnd)) return;
    const answer = received;
    received = '';
    if (answer.startsWith('HTTP/1.1 200 ')) settle!.resolve();
    else settle!.reject(new Error(answer));
  });
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  return {
    ask: (head, token, body = '') =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        const entity =
          body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
        const common = `host: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n`;
        socket.write(`${head}\r\n${common}${entity}\r\n${body}`);
      }),
    close: () => socket.destroy(),
  };
}

function isWhole(received: string, headEnd: number): boolean {
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  return length === undefined
    ? received.endsWith('\r\n0\r\n\r\n')
    : received.length >= headEnd + 4 + Number(length);
}
