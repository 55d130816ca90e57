// `npm run event-chaos -- [--events N] [--kills N] [--crashes N] [--callers N]`: creates events while
// servers, workers, PostgreSQL and receivers fail, then compares changes, feed and receivers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProcesses } from '../bundle/bundle.ts';
import { runEventChaos } from './event-chaos.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '4000' },
    kills: { type: 'string', default: '20' },
    crashes: { type: 'string', default: '3' },
    callers: { type: 'string', default: '16' },
  },
});
process.env.CAUSEWAY_TEST_BUNDLE = await bundleProcesses();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-event-chaos-'));
const outcome = await runEventChaos({
  folder,
  events: Number(values.events),
  kills: Number(values.kills),
  crashes: Number(values.crashes),
  failureRate: 0.3,
  callers: Number(values.callers),
  say: console.log,
});
const { broken, events, kills, crashes, requests, failures, seconds } = outcome;
console.log(
  `${events} events in ${seconds} s, ${kills} kills, ${crashes} crashes of PostgreSQL, ` +
    `${requests} requests of which ${failures} failed`,
);
for (const fault of broken.slice(0, 30)) console.log(`BROKEN: ${fault}`);
console.log(broken.length === 0 ? 'Every promise was kept.' : `${broken.length} broken`);
rmSync(folder, { recursive: true, force: true });
process.exit(broken.length === 0 ? 0 : 1);
