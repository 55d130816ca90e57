// A separate process for the test of the client on a failing network: pays orders with a store of keys, notes
// those that are paid in a file, and may be killed at any moment. Started again, it continues.

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Causeway, CausewayError } from '../../packages/client/src/index.ts';
import { fileStore } from '../../packages/client/src/node.ts';

export interface PayOrders {
  url: string;
  token: string;
  userId: string;
  to: string;
  orders: number;
  /** Of the store. */
  folder: string;
  /** A line for each paid order: its name and the `bulkId`. */
  paidFile: string;
  /** A wrong client, by which the test shows that it would notice: each attempt has a new key. */
  hasNewKeys: boolean;
}

const plan: PayOrders = JSON.parse(process.argv[2]!);
const { userId, to } = plan;
const withNewKey: typeof fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...(init!.headers as object), 'idempotency-key': randomUUID() } });
const causeway = new Causeway({
  baseUrl: plan.url,
  apiKey: plan.token,
  timeoutMs: 1_000,
  store: fileStore(plan.folder),
  ...(plan.hasNewKeys && { fetch: withNewKey }),
});

// A kill may have cut off the last line.
const lines = existsSync(plan.paidFile) ? readFileSync(plan.paidFile, 'utf8').split('\n').slice(0, -1) : [];
const paid = new Set(lines.map((line) => line.split(' ')[0]));
appendFileSync(plan.paidFile, '\n');
const waiting = Array.from({ length: plan.orders }, (_, at) => `order-${at}`).filter(
  (name) => !paid.has(name),
);

async function payOne(operation: string): Promise<void> {
  const { bulkId } = await causeway.withdrawals.create(
    { userId, to, amount: '1', externalId: operation },
    { operation },
  );
  appendFileSync(plan.paidFile, `${operation} ${bulkId}\n`);
}

/** An order that failed is taken again later, under the same name. */
async function work(): Promise<void> {
  for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
    try {
      await payOne(operation);
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      waiting.push(operation);
    }
  }
}

await Promise.all(Array.from({ length: 32 }, work));
process.exit(0);
