// One worker process of the crash test of webhooks: it only delivers. Its orders come as one line on standard
// input; when that ends, so does the process.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Deps } from '#context';
import { deliverWebhooks } from '#features/webhooks';
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { createOutgoing } from '#platform/outgoing/index';
import { createSealer } from '#platform/secrets/seal';
import { systemClock } from '#platform/values/clock';

export interface WebhookOrders {
  databaseUrl: string;
  logFile: string;
  /** Of version 9, in base64. */
  encryptionKey: string;
  claimMs: number;
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => work(JSON.parse(line)));
lines.once('close', () => process.exit());

function work({ databaseUrl, logFile, encryptionKey, claimMs }: WebhookOrders): void {
  const log = createLog({
    level: 'info',
    destination: { write: (text) => appendFileSync(logFile, text) },
  }).child({ worker: process.pid });
  const deps = {
    db: createPool({ url: databaseUrl, connectionsMax: 4, statementTimeoutMs: 60_000, log }),
    clock: systemClock,
    log,
    sealer: createSealer(new Map([[9, Buffer.from(encryptionKey, 'base64')]])),
    outgoing: createOutgoing({ allowsLoopbackHttp: true, ports: [443], allowedBlocks: [] }),
  } as unknown as Deps;
  deliverWebhooks({ everyMs: 50, claimMs }).start(deps);
}
