import type { Socket } from 'node:net';

/** Connections opened ahead of their first request that sent nothing for longer than headers may take. */
export class SilentSockets {
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();
  readonly #timeoutMs: number;
  #isClosed = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The deadline stays until there is a request, whatever is sent: Node no longer checks such a connection.
   */
  keep(socket: Socket): void {
    if (this.#isClosed) return void socket.destroy();
    socket.setTimeout(this.#timeoutMs);
    this.#deadlines.set(
      socket,
      setTimeout(() => socket.destroy(), this.#timeoutMs),
    );
    socket.once('close', () => this.forget(socket));
  }

  forget(socket: Socket): void {
    clearTimeout(this.#deadlines.get(socket));
    this.#deadlines.delete(socket);
  }

  /** A stop would wait for them: Node counts only connections as idle that have sent a request. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#deadlines.keys()) socket.destroy();
  }
}
