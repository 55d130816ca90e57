import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { processFile } from '#test/bundle/process-file';
import type { ServerOrder } from './server.ts';

export interface Servers {
  ports: readonly number[];
  kills: number;
  /** Kills one of them, at any moment of its life, also while it starts. It is started again. */
  kill(): void;
  stop(): Promise<void>;
}

/** Keeps servers alive that are killed again and again. */
export function startServers(ports: readonly number[], order: Omit<ServerOrder, 'port'>): Servers {
  let isStopping = false;
  const living = new Map<number, ChildProcess>();

  const keepAlive = async (port: number) => {
    while (!isStopping) {
      const child = fork(processFile('test/event-chaos/server.ts'), { serialization: 'advanced' });
      living.set(port, child);
      child.send({ ...order, port });
      await once(child, 'exit');
      if (!isStopping) await sleep(50);
    }
  };
  const running = ports.map(keepAlive);

  const servers: Servers = {
    ports,
    kills: 0,
    kill() {
      const port = ports[Math.floor(Math.random() * ports.length)]!;
      if (living.get(port)?.kill('SIGKILL')) servers.kills += 1;
    },
    async stop() {
      isStopping = true;
      for (const child of living.values()) child.kill('SIGKILL');
      await Promise.all(running);
    },
  };
  return servers;
}
