import { seedCardUsers } from './mcp/seed.ts';
import { type Candidate, candidates, type ServersReport } from './mcp/servers.ts';
import { type Bench, median } from './measure.ts';
import type { CallsOrder, LoadReport } from './withdrawals/load.ts';
import { messageOf, startProcess, stopProcess } from './withdrawals/world.ts';

const users = 5_000;
const rounds = 9;
const connections = 32;
const durationMs = 700;

const message = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const echo = message('echo', { text: 'A text as long as the arguments of most calls are.' });

/**
 * A tool without a database against a bare echo and the official servers; `getUserCards` against a bare
 * select.
 */
export const run: Bench = async ({ db, databaseUrl }) => {
  const { tokens, keyIds, userIds } = await seedCardUsers(db, users);
  const first = { keyId: keyIds[0]!, userId: userIds[0]! };
  const servers = await startProcess('../mcp/servers.ts', { databaseUrl, ...first });
  const loader = await startProcess('load.ts');
  const report = async () => {
    servers.send('report');
    return (await messageOf(servers)) as ServersReport;
  };
  const { ports } = await report();
  const figures = Object.fromEntries(
    candidates.map((name) => [name, { cpu: [], rate: [] }]),
  ) as unknown as Record<Candidate, { cpu: number[]; rate: number[] }>;
  try {
    for (let round = -1; round < rounds; round++) {
      for (const name of candidates) {
        const before = (await report()).cpu;
        loader.send({
          kind: 'calls',
          port: ports[name],
          connections,
          durationMs,
          path: '/mcp',
          body: name === 'product' ? message('getUserCards', {}) : echo,
          tokens: name === 'tool' || name === 'endpoint' ? tokens.slice(0, 1) : tokens,
          headers: name.startsWith('sdk') ? { accept: 'application/json, text/event-stream' } : {},
        } satisfies CallsOrder);
        const { answers, perSecond } = (await messageOf(loader)) as LoadReport;
        const { cpu } = await report();
        if (round < 0) continue; // the first round warms up
        figures[name].cpu.push((cpu - before) / answers);
        figures[name].rate.push(perSecond);
      }
    }
  } finally {
    await stopProcess(loader);
    await stopProcess(servers);
  }
  for (const name of candidates) {
    const { cpu, rate } = figures[name];
    console.log(`${name}: ${median(cpu).toFixed(1)} µs of CPU a call, ${Math.round(median(rate))} a second`);
  }
  const ratio = (kind: 'cpu' | 'rate', of: Candidate, to: Candidate) =>
    median(figures[of][kind].map((figure, round) => figure / figures[to][kind][round]!)).toFixed(2);
  const print = (what: string, kind: 'cpu' | 'rate', to: Candidate, goal: string) => {
    const [endpoint, whole, keys] = (['endpoint', 'tool', 'toolWithKeys'] as const).map((of) =>
      ratio(kind, of, to),
    );
    console.log(
      `${what} (goal: ${goal}): ${endpoint}; in our HTTP server with its log and metrics ${whole}; keys looked up, too ${keys}`,
    );
  };
  print('CPU of a tool without a database / of a bare echo', 'cpu', 'echo', 'at most 1.5');
  print('calls a second / those of the official server 2', 'rate', 'sdk2', 'at least 5');
  print('calls a second / those of the official SDK 1', 'rate', 'sdk1', 'at least 10');
  const cards = ratio('rate', 'product', 'select');
  console.log(`getUserCards a second / a bare route with one select (goal: at least 0.35): ${cards}`);
};
