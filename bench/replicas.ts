import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '#platform/db/migrate';
import { type Member, startPrimary, startStandby } from '#test/database/cluster';
import { measureCpu } from './replicas/cpu.ts';
import { measurePairs } from './replicas/pairs.ts';
import { prefer } from './replicas/server-cpu.ts';

const usualPairs = 100_000;

/**
 * A primary server and a replica. `cpu`: what a page of history costs the primary server, with the replica
 * and without. `pairs [number]`: writes that are read again, with a second replica that is two seconds late.
 */
export async function runAlone(parts: string[]): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-'));
  chmodSync(folder, 0o755);
  const members: Member[] = [];
  const named = parts.filter((part) => !/^\d+$/.test(part));
  const has = (part: string) => named.length === 0 || named.includes(part);
  const start = async (name: string) => {
    const server = await startPrimary(path.join(folder, name));
    members.push(server);
    await server.query('create database causeway');
    await migrate(server.postgres.url('causeway'));
    return server;
  };
  try {
    const primary = await start('one');
    const prompt = await startStandby(path.join(folder, 'two'), primary, { name: 'two' });
    members.push(prompt);
    prefer(prompt);
    if (has('cpu')) await measureCpu({ primary, replica: prompt, limits: await start('limits') });
    if (has('pairs')) {
      const late = await startStandby(path.join(folder, 'three'), primary, { name: 'three' });
      members.push(late);
      await late.query(`alter system set recovery_min_apply_delay = '2s'`);
      await late.query('select pg_reload_conf()');
      const pairs = Number(parts.find((part) => /^\d+$/.test(part)) ?? usualPairs);
      await measurePairs(primary, [prompt, late], pairs);
    }
  } finally {
    for (const { postgres } of members) await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
