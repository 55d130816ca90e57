import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.ts';

/** Somebody who reads why a wallet was halted and runs the commands that docs/operating.md names for that reason. */
export interface ChaosOperator {
  /** Halts that were ended, by their first words. */
  ended: Record<string, number>;
  stop(): Promise<void>;
}

interface ShownWallet {
  network: string;
  address: string;
  haltedReason: string | null;
}

const lookEveryMs = 1_000;

export function startOperator(world: World): ChaosOperator {
  let isStopping = false;
  const operator: ChaosOperator = {
    ended: {},
    async stop() {
      isStopping = true;
      await running;
    },
  };
  const running = keepLooking();
  return operator;

  async function keepLooking(): Promise<void> {
    for (; !isStopping; await sleep(lookEveryMs)) {
      // PostgreSQL and the nodes are away now and then.
      const shown = await run<{ wallets: ShownWallet[] }>('wallets.show').catch(() => undefined);
      for (const wallet of shown?.body.wallets ?? []) if (wallet.haltedReason) await end(wallet);
    }
  }

  async function end({ network, address, haltedReason }: ShownWallet): Promise<void> {
    const wallet = { network, address };
    const fromNonce = /wallets resend .* --from-nonce (\d+)/.exec(haltedReason!)?.[1];
    if (fromNonce !== undefined) {
      const input = { ...wallet, fromNonce: Number(fromNonce) };
      const first = await run<{ code?: string }>('wallets.resend', input).catch(() => undefined);
      // Their recipients are still frozen in this world: they are reverted again.
      if (first?.body.code === 'failed_may_pay')
        await run('wallets.resend', { ...input, includeFailed: true }).catch(() => undefined);
      await sleep(3 * lookEveryMs);
    } else if (!/then run wallets resume$/.test(haltedReason!)) {
      // Left as it is: the verdict says that the lane is halted, and why.
      return;
    }
    const resumed = await run('wallets.resume', wallet).catch(() => undefined);
    const name = haltedReason!.replace(/0x\w+|[\w-]{36}|\d+/g, '…').slice(0, 60);
    if (resumed?.status === 200) operator.ended[name] = (operator.ended[name] ?? 0) + 1;
  }

  async function run<Body>(command: string, input: object = {}): Promise<{ status: number; body: Body }> {
    const response = await fetch(`${world.apiUrl}/operator/${command}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(15_000),
    });
    const body = (await response.json()) as { data?: Body } & Body;
    return { status: response.status, body: body.data ?? body };
  }
}
