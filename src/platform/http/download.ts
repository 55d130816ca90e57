import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { commonErrors } from '../errors/errors.ts';
import { type FastifyReply, type FastifyRequest, setSocketTimeout } from './http.ts';

/** A file that is streamed while it is made. */
export interface Download {
  contentType: string;
  /** Letters, digits, hyphens and dots: it goes into a header as it is. */
  filename: string;
  chunks: AsyncIterable<string | Uint8Array>;
}

/** A file costs memory and database work as long as its reader takes, so everything about it is limited. */
export const downloadLimits = {
  atOnceMax: 8,
  /** One caller must not use all places. */
  ofCallerMax: 2,
  /** A reader that reads nothing for so long is gone or malicious. */
  stallMs: 30_000,
  /** A million lines at a few megabits a second. */
  durationMaxMs: 15 * 60_000,
};

export type SendDownload = (
  request: FastifyRequest,
  reply: FastifyReply,
  caller: string,
  open: () => Promise<Download>,
) => Promise<FastifyReply>;

/**
 * Answers with a file. A failure before the first byte is an ordinary error; a later one breaks the
 * connection, so that no truncated file looks complete. If the reader disconnects, the file is no longer
 * made.
 */
export function createDownloads(limits = downloadLimits): SendDownload {
  const running: string[] = [];
  return async (request, reply, caller, open) => {
    const ofCaller = running.filter((one) => one === caller).length;
    if (running.length >= limits.atOnceMax || ofCaller >= limits.ofCallerMax) {
      throw commonErrors.unavailable({
        message: 'Too many files at once',
        headers: { 'retry-after': '5' },
      });
    }
    running.push(caller);
    let isRunning = true;
    const leave = () => {
      if (isRunning) running.splice(running.indexOf(caller), 1);
      isRunning = false;
    };
    try {
      const { contentType, filename, chunks } = await open();
      const rest = chunks[Symbol.asyncIterator]();
      const first = await rest.next();
      const body = Readable.from(resume(first, rest, () => setSocketTimeout(request, limits.stallMs)));
      const tooLong = () => body.destroy(new Error('the file took too long'));
      const timer = setTimeout(tooLong, limits.durationMaxMs).unref();
      body.once('error', () => resetSocket(request));
      reply.raw.once('timeout', () => resetSocket(request));
      body.once('close', () => {
        clearTimeout(timer);
        leave();
        // Also where nothing but the first chunk was ever asked for.
        rest.return?.().catch(() => {});
      });
      reply.headers({
        'content-type': contentType,
        'content-disposition': `attachment; filename="${filename}"`,
        'cache-control': 'no-store',
      });
      return reply.send(body);
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** The chunks again, with the first one already read. */
async function* resume<T>(first: IteratorResult<T>, rest: AsyncIterator<T>, onStart: () => void) {
  onStart();
  for (let next = first; !next.done; next = await rest.next()) {
    yield next.value;
    // Yield, or a fast reader and a fast source would occupy this process.
    await letOthersRun();
  }
}

/**
 * HTTP/1.0 readers, such as many proxies, treat the end of the connection as the end of the file; a reset is
 * an error to every reader.
 */
function resetSocket({ raw: { socket } }: FastifyRequest): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
}
