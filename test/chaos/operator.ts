import { setTimeout as sleep } from 'node:timers/promises';
import type { World as AnyWorld, WorldDatabase } from './world.ts';

type World = AnyWorld<WorldDatabase>;

/**
 * Somebody who reads why a wallet was halted and runs the commands that docs/operating.md names for that
 * reason.
 */
export interface ChaosOperator {
  /** Halts that were ended, by their first words. */
  ended: Record<string, number>;
  /** How often each command was answered 200. */
  commands: Record<string, number>;
  /** Reasons for which docs/operating.md names no command. */
  unexplained: Set<string>;
  /** Nonces that were named as having paid nobody, after a look at the chain, as `nonceName` names them. */
  unpaidNonces: Set<string>;
  /** Also while PostgreSQL is away, and before the first payout. */
  isAnyHalted(): Promise<boolean>;
  /** The database is about to go back to how it was at that block. */
  expectLoss(block: number): void;
  /** What docs/operating.md asks for before a restored database is put to use. */
  haltAll(): Promise<void>;
  stop(): Promise<void>;
}

/** A nonce of one of the wallets. */
export const nonceName = (address: string, nonce: number) => `${address.toLowerCase()} ${nonce}`;

interface Wallet {
  network: string;
  address: string;
}

interface ShownWallet extends Wallet {
  haltedReason: string | null;
}

interface Answer<Body> {
  status: number;
  body: Body & { code?: string; error?: string };
}

interface Recovered {
  unknown: { hash: string }[];
  isHalted: boolean;
}

const lookEveryMs = 1_000;
/** Partners repeat most requests within this; what is unknown afterwards is accepted. */
const patienceMs = 20_000;
/** Reorganisations may have moved a payment to an earlier block than it had at the time of the backup. */
const blocksBefore = 20;
const restored = 'a backup was restored';
const filling = 'wallets.recover --fill-nonces';

const needsRecover = new RegExp(
  [
    'the database server changed',
    'are being filled.*run wallets recover again',
    'was used (?:on chain )?by a transaction that is not ours',
    'for withdrawals that this database does not have',
  ].join('|'),
);

/** A restore on the same server, which only the operator knows of: what was lost may still arrive. */
const needsFilling = new RegExp(
  `the database was restored from an older backup|^${restored}$|those of this wallet may be`,
);

/** As many as the runbook says. */
const fillNonces = 400;

export function startOperator(world: World): ChaosOperator {
  let isStopping = false;
  let fromBlock = 0;
  /** By the address of the wallet. */
  const seenReasons = new Map<string, { reason: string; at: number; isMinuteOver?: true }>();
  const operator: ChaosOperator = {
    ended: {},
    commands: {},
    unexplained: new Set(),
    unpaidNonces: new Set(),
    async isAnyHalted() {
      const wallets = await show();
      return wallets.length === 0 || wallets.some(({ haltedReason }) => haltedReason !== null);
    },
    expectLoss(block) {
      fromBlock = Math.max(block - blocksBefore, 0);
    },
    async haltAll() {
      const { network } = world.network;
      for (const address of world.wallets) {
        const input = { network, address, reason: restored };
        while ((await run('wallets.halt', input)).status !== 200) await sleep(200);
      }
    },
    async stop() {
      isStopping = true;
      await running;
    },
  };
  const running = keepLooking();
  return operator;

  async function keepLooking(): Promise<void> {
    for (; !isStopping; await sleep(lookEveryMs)) {
      for (const { haltedReason: reason, ...wallet } of await show()) if (reason) await end(wallet, reason);
    }
  }

  /** Nothing while PostgreSQL is away. */
  async function show(): Promise<ShownWallet[]> {
    const shown = await run<{ wallets: ShownWallet[] }>('wallets.show');
    return shown.body.wallets ?? [];
  }

  async function end({ network, address }: Wallet, reason: string): Promise<void> {
    const wallet = { network, address };
    if (seenReasons.get(address)?.reason !== reason) seenReasons.set(address, { reason, at: Date.now() });
    let isEnded = false;
    if (reason.includes('wallets resend')) isEnded = await resend(wallet, reason);
    else if (needsFilling.test(reason))
      await run('wallets.recover', { ...wallet, fromBlock, fillNonces }, filling);
    else if (needsRecover.test(reason)) isEnded = await recover(wallet);
    else if (/run wallets resume$/.test(reason)) isEnded = await resume(wallet);
    // Left as it is: the verdict says so.
    else operator.unexplained.add(reason);
    if (!isEnded) return;
    seenReasons.delete(address);
    const name = reason.replace(/0x\w+|[\w-]{36}|\d+/g, '…').slice(0, 60);
    operator.ended[name] = (operator.ended[name] ?? 0) + 1;
  }

  async function resume(wallet: Wallet): Promise<boolean> {
    return (await run('wallets.resume', wallet)).status === 200;
  }

  async function resend(wallet: Wallet, reason: string): Promise<boolean> {
    const fromNonce = Number(/--from-nonce (\d+)/.exec(reason)![1]);
    const first = await run('wallets.resend', { ...wallet, fromNonce });
    // Their recipients are still frozen in this world: they are reverted again.
    if (first.body.code === 'failed_may_pay')
      await run('wallets.resend', { ...wallet, fromNonce, includeFailed: true });
    await sleep(3 * lookEveryMs);
    return resume(wallet);
  }

  async function recover(wallet: Wallet): Promise<boolean> {
    const input = { ...wallet, fromBlock };
    const seen = seenReasons.get(wallet.address)!;
    let answer = await run<Recovered>('wallets.recover', input);
    if (answer.body.code === 'too_early' && !seen.isMinuteOver) {
      seen.isMinuteOver = true;
      await letMinutePass();
      answer = await run<Recovered>('wallets.recover', input);
    }
    if (answer.body.code === 'nonces_not_found') answer = await explain(input, answer);
    if (answer.status !== 200 || !answer.body.isHalted) return answer.status === 200;
    if (Date.now() - seen.at < patienceMs) return false;
    const accept = answer.body.unknown.map(({ hash }) => hash);
    const accepted = await run<Recovered>(
      'wallets.recover',
      { ...input, accept },
      'wallets.recover --accept',
    );
    return accepted.status === 200 && !accepted.body.isHalted;
  }

  /** The clock, which tests may replace: the rest of the minute that recover waits for is over. */
  async function letMinutePass(): Promise<void> {
    await world.deps.db
      .query(
        `update payout_signers set halted_at = halted_at - interval '1 minute' where halted_at is not null`,
      )
      .catch(() => {});
  }

  /**
   * Begins at an earlier block; what is not found then was reverted, and the chain is looked at for proof.
   */
  async function explain(input: Wallet, first: Answer<Recovered>): Promise<Answer<Recovered>> {
    const whole = { ...input, fromBlock: 0 };
    const unpaid = new Set<number>();
    let answer = first;
    for (let round = 0; round < 20; round += 1) {
      answer = await run<Recovered>('wallets.recover', { ...whole, unpaidNonces: [...unpaid] });
      if (answer.body.code !== 'nonces_not_found') break;
      const named = /for the nonces ([\d, ]+)/.exec(answer.body.error ?? '')?.[1] ?? '';
      const isTaken = answer.body.error!.includes('accept-foreign');
      for (const nonce of named.split(', ').filter(Boolean).map(Number)) {
        const sent = await findSent(input.address, nonce);
        if (sent === undefined) return answer;
        if (isTaken) {
          const taking = { network: input.network, address: input.address, transactionHash: sent.hash };
          await run('wallets.accept-foreign', taking);
        } else if (sent.isReverted) unpaid.add(nonce);
      }
    }
    if (answer.status === 200)
      for (const nonce of unpaid) operator.unpaidNonces.add(nonceName(input.address, nonce));
    return answer;
  }

  /** As a block explorer shows it. */
  async function findSent(
    address: string,
    nonce: number,
  ): Promise<{ hash: string; isReverted: boolean } | undefined> {
    const { chain } = world;
    const head = Number(await chain.call<string>('eth_blockNumber'));
    for (let number = head; number > 0; number -= 1) {
      const block = await chain.call<{ transactions: { hash: string; from: string; nonce: string }[] }>(
        ...(['eth_getBlockByNumber', `0x${number.toString(16)}`, true] as const),
      );
      const one = block.transactions.find(
        (each) => each.from.toLowerCase() === address.toLowerCase() && Number(each.nonce) === nonce,
      );
      if (!one) continue;
      const receipt = await chain.call<{ status: string }>('eth_getTransactionReceipt', one.hash);
      return { hash: one.hash, isReverted: receipt.status === '0x0' };
    }
    return undefined;
  }

  async function run<Body>(command: string, input: object = {}, name = command): Promise<Answer<Body>> {
    try {
      const response = await fetch(`${world.apiUrl}/operator/${command}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(120_000),
      });
      const body = (await response.json()) as { data?: Answer<Body>['body'] } & Answer<Body>['body'];
      if (response.status === 200 && command !== 'wallets.show')
        operator.commands[name] = (operator.commands[name] ?? 0) + 1;
      return { status: response.status, body: body.data ?? body };
    } catch {
      // PostgreSQL and the nodes are away now and then.
      return { status: 0, body: {} as Answer<Body>['body'] };
    }
  }
}
