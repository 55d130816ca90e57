import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpIssuer } from '#adapters/issuer';
import { contextFor, type IntegrationActor } from '#context';
import { createCards } from '#features/cards';
import {
  decideConsent,
  openConsentLink,
  readConsentedData,
  requestConsent,
} from '#features/connect/consents';
import { registerIntegration } from '#features/connect/integrations';
import { issueKey } from '#features/keys';
import { flushRequests } from '#features/requests';
import { addWallet } from '#features/users';
import type { Chain } from '#test/outside/chain';
import { applyEvents } from '../../src/features/cards/apply-events.ts';
import { startIssuer } from '../../src/sandbox/issuer/index.ts';
import { operatorContext, type World } from '../withdrawals/world.ts';

const unit = 1_000_000n;
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;

/** What users of the product do, so many times. */
export interface Activities {
  /** Tokens arrive at users' wallets on chain. */
  deposit(count: number): Promise<void>;
  /** Withdrawals over HTTP, ten at a time, each with a key and a label, paid by the worker. */
  payout(count: number): Promise<void>;
  /** A purchase with a card: authorized, then settled, with a movement of the collateral. */
  purchase(count: number): Promise<void>;
  /** A consent that a user grants, read ten times. */
  consent(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startActivities(world: World, chain: Chain): Promise<Activities> {
  const { deps, partnerId, userIds } = world;
  // Events about an account are for partners that have a key of its user.
  for (const userId of userIds.slice(1))
    await issueKey(operatorContext(deps), { name: 'bench', partnerId, userId });
  const wallets = await addWallets(world);
  const cards = await openCards(world);
  const integration = await register(world);
  return {
    async deposit(count) {
      // The watcher starts at the block in which it first looks.
      await until(world, 'select exists (select from deposit_cursors) as done', []);
      const before = await countRows(world, 'deposits');
      for (let n = 0; n < count; n++) await chain.mint('USDC', wallets[n % wallets.length]!, 1_000n * unit);
      await chain.mine(5);
      await until(world, 'select count(*) >= $1 as done from deposits', [before + count]);
      await untilSent(world);
    },
    async payout(count) {
      const before = await countRows(world, 'withdrawals');
      for (let n = 0; n < count; n += 10)
        await Promise.all(Array.from({ length: 10 }, (_, at) => withdraw(world, n + at)));
      const completed = `select count(*) filter (where status = 'completed') >= $1 as done from withdrawals`;
      await until(world, completed, [before + count], () => chain.mine(1));
      await flushRequests(world.deps);
      await untilSent(world);
    },
    async purchase(count) {
      for (let n = 0; n < count; n++) await cards.buy(n);
      await untilSent(world);
    },
    async consent(count) {
      for (let n = 0; n < count; n++)
        await grantAndRead(world, integration, world.userIds[n % world.userIds.length]!);
      await untilSent(world);
    },
    stop: cards.stop,
  };
}

async function addWallets({ deps, userIds }: World): Promise<string[]> {
  const wallets: string[] = [];
  for (const userId of userIds) {
    const address = newAddress();
    await addWallet(operatorContext(deps), { userId, network: 'polygon', address, custody: 'platform' });
    wallets.push(address);
  }
  return wallets;
}

async function withdraw({ userIds, port, key }: World, n: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/crypto/${userIds[n % userIds.length]}/withdraw`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key.token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ amount: '1.5', currency: 'USDC', to: newAddress(), externalId: `invoice-${n}` }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** A card with collateral for each user, at the sandbox's issuer. */
async function openCards({ deps, userIds }: World) {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-growth-'));
  const token = randomBytes(24).toString('hex');
  const running = await startIssuer({ folder, token, logFile: path.join(folder, 'issuer.log') });
  const issuer = createHttpIssuer({ url: running.url, token, timeoutMs: 60_000 });
  const ctx = operatorContext({ ...deps, issuer });
  const cardIds: string[] = [];
  for (const userId of userIds) {
    const { cards } = await createCards(ctx, {
      userId,
      cards: [{ spendingLimit: '100000', spendingInterval: 'daily' }],
      activate: true,
    });
    const { id, cardIssuerUserId } = cards[0]!;
    const collateral = { kind: 'collateral-deposit', cardIssuerUserId, amount: '50000.00' } as const;
    await applyEvents(ctx, await issuer.simulate(collateral));
    cardIds.push(id);
  }
  return {
    async buy(n: number) {
      const authorized = await issuer.simulate({
        kind: 'authorization',
        cardId: cardIds[n % cardIds.length]!,
        amount: '12.50',
        merchantName: `Corner Market ${n % 300}`,
        description: 'Groceries',
        merchantCategory: '5411',
        merchantCountry: 'PT',
      });
      await applyEvents(ctx, authorized);
      const [open] = await deps.db.query<{ id: string }>(
        `select id from card_transactions where status = 'pending' limit 1`,
      );
      await applyEvents(ctx, await issuer.simulate({ kind: 'settlement', transactionId: open!.id }));
    },
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const redirectUri = 'https://app.example.com/back';
const purpose = 'Open an account';

async function register({ deps }: World): Promise<IntegrationActor> {
  const { id, keyId } = await registerIntegration(operatorContext(deps), {
    name: 'Bench',
    logoColor: '#1a7f5a',
    purposes: [purpose],
    scopes: ['profile', 'email'],
    redirectUris: [redirectUri],
  });
  return { kind: 'integration', integrationId: id, keyId };
}

async function grantAndRead({ deps }: World, integration: IntegrationActor, userId: string): Promise<void> {
  const { linkToken } = await requestConsent(contextFor(deps, integration, deps.log), {
    scopes: ['profile', 'email'],
    redirectUri,
    purpose,
    duration: { kind: 'until-revoked' },
  });
  const owner = contextFor(deps, { kind: 'user', userId } as const, deps.log);
  const { consent: asked } = await openConsentLink(owner, { linkToken });
  const granted = { linkToken, decision: 'grant', scopes: asked.requestedScopes } as const;
  const { consent } = await decideConsent(owner, granted);
  for (let read = 0; read < 10; read++) {
    const ctx = contextFor(deps, integration, deps.log);
    await readConsentedData(ctx, { consentId: consent.id, address: '203.0.113.7' });
  }
}

async function countRows({ db }: World, table: 'deposits' | 'withdrawals'): Promise<number> {
  const [row] = await db.query<{ count: number }>(`select count(*)::integer as count from ${table}`);
  return row!.count;
}

/** All events are numbered, and all webhooks sent. */
const untilSent = (world: World) =>
  until(
    world,
    `select not exists (select from event_records) and not exists (select from webhook_deliveries where status = 'due')
       as done`,
    [],
  );

async function until(world: World, query: string, values: unknown[], meanwhile?: () => Promise<void>) {
  for (const startedAt = Date.now(); ; ) {
    const [row] = await world.db.query<{ done: boolean }>(query, values);
    if (row!.done) return;
    if (Date.now() - startedAt > 300_000) throw new Error(`not done after five minutes: ${query}`);
    await meanwhile?.();
    await sleep(500);
  }
}
