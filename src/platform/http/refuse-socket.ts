import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { commonErrors } from '../errors/errors.ts';
import type { Log } from '../observe/log.ts';
import { limits } from './limits.ts';
import { commonHeaders, errorBody } from './send-error.ts';
import type { SilentSockets } from './silent-sockets.ts';

/** Answers a request that Node's HTTP parser refused with our error body, then closes the connection. */
export function refuseSocket(
  { log, silent, secureHeaders }: { log: Log; silent: SilentSockets; secureHeaders: Record<string, string> },
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  // A connection that was opened ahead of its first request gets no answer to a request that it never sent.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    silent.keep(socket);
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? commonErrors.headersTooLarge()
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? commonErrors.requestTimeout()
        : commonErrors.invalidRequest({ message: 'Request is not valid HTTP' });
  const requestId = randomUUID();
  log.info(
    { reqId: requestId, status: refusal.status, code: error.code },
    'request refused before it was read',
  );
  const body = JSON.stringify(errorBody(refusal, requestId));
  const headers = {
    ...commonHeaders(requestId),
    ...secureHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closing only our side would let a caller that keeps sending occupy the socket forever.
  setTimeout(() => socket.destroy(), limits.lingerMs).unref();
}
