import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { errorCode } from '../errors/startup-error.ts';
import { OutgoingFault } from './errors.ts';
import { hostOf } from './judge-url.ts';

export interface OutgoingAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** At most `answerBytesMax` bytes. */
  body: Buffer;
  /** The answer was longer. */
  isCut: boolean;
}

export interface Message {
  headers: Readonly<Record<string, string>>;
  body: Buffer | string;
  answerBytesMax: number;
}

/** A kept connection was closed by the peer before it answered. */
export class ClosedWhileKept extends Error {}

const headerBytesMax = 16_384;

/** One POST on a connection of the agent. Rejects with the error of Node. */
export function exchange(
  url: URL,
  { headers, body, answerBytesMax }: Message,
  { agent, signal }: { agent: http.Agent; signal: AbortSignal },
): Promise<OutgoingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>();
  const isSecure = url.protocol === 'https:';
  const host = hostOf(url);
  const options = { method: 'POST', headers, agent, signal, maxHeaderSize: headerBytesMax };
  // The certificate must be for the name of the URL, whatever the headers say. A literal address has no name.
  const request = isSecure
    ? https.request(url, { ...options, servername: isIP(host) === 0 ? host : '' })
    : http.request(url, options);
  const fail = (error: Error) =>
    reject(request.reusedSocket && isReset(error) ? new ClosedWhileKept() : error);
  request.on('error', fail);
  request.on('response', (response) => {
    request.off('error', fail).on('error', reject);
    response.on('error', reject);
    readAnswer(response, answerBytesMax, (answer) => {
      resolve(answer);
      if (answer.isCut) request.destroy();
    });
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    reject(new OutgoingFault('protocol', 'The peer asked for another protocol (101).'));
  });
  // Whatever ends the request, it settles; after an answer or an error this changes nothing.
  request.on('close', () =>
    reject(new OutgoingFault('connection', 'The connection was closed before the answer was whole.')),
  );
  request.end(body);
  return promise;
}

const isReset = (error: Error) => ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');

/** Calls back at once, because Node reports the end of the request in the same tick. */
function readAnswer(
  response: IncomingMessage,
  bytesMax: number,
  onAnswer: (answer: OutgoingAnswer) => void,
): void {
  const { statusCode: status, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (isCut: boolean) =>
    onAnswer({ status: status!, headers, body: Buffer.concat(chunks).subarray(0, bytesMax), isCut });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) finish(true);
  });
  response.on('end', () => finish(false));
}
