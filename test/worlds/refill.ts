import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Issuer } from '#adapters/issuer';
import { type Ctx, contextFor, type Deps } from '#context';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useChain } from '#test/outside/chain';
import { useIssuer } from '#test/outside/issuer';
import { catchUp } from '../../src/features/cards/catch-up.ts';
import { openAccount } from '../../src/features/cards/open-account.ts';
import type { CardAccount } from '../../src/features/cards/queries/accounts.ts';
import {
  configureRefill,
  listRefills,
  type RefillTerms,
  refillJobs,
} from '../../src/features/cards/refills/index.ts';
import { makeWorld, type Worker, type WorkerOptions, type World } from './payout.ts';

export interface RefillWorld extends World {
  account: CardAccount;
  asOperator(): Ctx;
  /** Moves every clock of ours. */
  advance(ms: number): void;
  configure(terms?: Partial<RefillTerms>): ReturnType<typeof configureRefill>;
  /** Reads what the issuer tells, then has one turn of the job. */
  turn(issuer?: Issuer, worker?: Worker): Promise<void>;
  /** Turns of the job and of the payout engine until nothing is left to do. */
  refill(): Promise<void>;
  history(): Promise<{ status: string; retries: number; transactionHash: string | null }[]>;
  /** Transfers to the account's collateral address. */
  received(): Promise<{ amount: bigint; hash: string; logIndex: number }[]>;
  /** What the issuer credited the account for payments on chain, as it tells itself. */
  credited(): Promise<{ reference: string | null; amount: string }[]>;
}

/**
 * Collateral that runs low is refilled from the user's balance: by the payout engine, on a real chain, at the
 * sandbox's issuer.
 */
export function useRefills() {
  const chain = useChain();
  const bank = useIssuer();
  const minute = 60_000;

  /**
   * A user with 1,000 USDC and an account without collateral, which is to have 50 dollars more whenever it
   * has less than 20.
   */
  async function makeRefillWorld(
    t: TestContext,
    terms: Partial<RefillTerms> = {},
    options: WorkerOptions = {},
  ): Promise<RefillWorld> {
    const world = await makeWorld(t, chain, options);
    const depsOf = (worker: Worker, issuer: Issuer): Deps => ({ ...worker.deps, issuer });
    const asOperator = () => {
      const deps = depsOf(world.worker, bank.issuer);
      return contextFor(deps, { kind: 'operator', name: 'tester', role: 'admin' } as const, deps.log);
    };
    const readEvents = async () => {
      while ((await catchUp(asOperator())).isBehind);
    };
    const account = await openAccount(asOperator(), { userId: world.userId });
    const configure: RefillWorld['configure'] = (more) =>
      configureRefill(asOperator(), {
        cardIssuerUserId: account.id,
        threshold: '20',
        amount: '50',
        currency: 'USDC',
        enabled: true,
        network: world.settings.network,
        ...terms,
        ...more,
      });
    await configure();
    const turn: RefillWorld['turn'] = async (issuer = bank.issuer, worker = world.worker) => {
      await readEvents();
      await refillJobs[0]!.run(depsOf(worker, issuer));
    };
    return {
      ...world,
      account,
      asOperator,
      configure,
      turn,
      advance: world.worker.advance,
      async refill() {
        await turn();
        await world.pay();
        await turn();
        await turn();
      },
      async history() {
        const page = { userId: world.userId, currentPage: 0, pageSize: 50 };
        const { refills } = await listRefills(asOperator(), page);
        return refills.map(({ status, retries, transactionHash }) => ({ status, retries, transactionHash }));
      },
      async received() {
        const paid = (await world.paid()).filter(({ to }) => to === account.collateralAddress);
        return paid.map(({ amount, hash, logIndex }) => ({ amount, hash, logIndex }));
      },
      async credited() {
        const events = await bank.issuer.readEvents({ after: 0n, limit: 1_000 });
        return events.flatMap(({ type, data }) =>
          type === 'movement.posted' && data.cardIssuerUserId === account.id && data.reference !== null
            ? [{ reference: data.reference, amount: data.amount }]
            : [],
        );
      },
    };
  }

  /** Collateral from elsewhere. */
  const deposit = ({ account }: RefillWorld, amount: string) =>
    bank.issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId: account.id, amount });

  /** One payment, one credit, one refill. */
  async function expectRefilledOnce(world: RefillWorld): Promise<void> {
    const received = await world.received();
    assert.deepEqual(
      received.map(({ amount }) => amount),
      [50_000_000n],
    );
    assert.deepEqual(
      await world.credited(),
      received.map(({ hash, logIndex }) => ({ reference: `${hash}:${logIndex}`, amount: '50.00' })),
    );
    assert.deepEqual(
      (await world.history()).map(({ status, transactionHash }) => ({ status, transactionHash })),
      received.map(({ hash }) => ({ status: 'completed', transactionHash: hash })),
    );
    assert.deepEqual(await checkBooks(world.db), rightBooks);
    const mistaken = await world.db.query(
      `select 1 from card_refill_rules r join card_issuer_users a on a.id = r.card_issuer_user_id
     where r.is_short <> (a.collateral < r.threshold)`,
    );
    assert.deepEqual(mistaken, []);
  }

  return { bank, minute, makeRefillWorld, deposit, expectRefilledOnce };
}
