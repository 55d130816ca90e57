import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { contextFor } from '#context';
import { requestApproval } from '#features/approvals';
import { addWallet, blockAddress, createUser } from '#features/users';
import {
  makeAddress,
  makeConsent,
  makeFunds,
  makeIntegration,
  makeKey,
  makePartner,
  makeUser,
  makeWithdrawal,
} from '#test/data/factories';
import { type Harness, noteSecret } from '#test/harness';
import type { Chain } from '#test/outside/chain';
import { takeFees } from '#test/outside/fee-token';
import { holdQueued } from '../../src/features/payouts/hold-queued.ts';
import { createLanes } from '../../src/features/payouts/lane.ts';
import { settleFinal } from '../../src/features/payouts/settle.ts';
import { signPending } from '../../src/features/payouts/sign-pending.ts';
import { draftRules } from '../../src/features/rules/draft-rules.ts';
import type { Rule } from '../../src/features/rules/wire.ts';
import { rotateSecret } from '../../src/features/webhooks/rotate-secret.ts';
import { makeApplication } from './application.ts';
import { makePerson } from './people.ts';
import { operatorNamed } from './rules.ts';

/**
 * For each command that changes something, what makes its input: whatever the command needs exists then. The
 * harness has a card issuer, and the chain as its network `base`.
 */
export function commandInputs(harness: Harness, chain: Chain): Record<string, () => Promise<object>> {
  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
  const mark = () => randomBytes(6).toString('hex');
  const documentNumber = () => noteSecret(`DOC-${mark()}`);
  const taxId = () => noteSecret(`TAX-${mark()}`);
  const makePair = async () => ({
    partnerId: (await makePartner(harness)).id,
    userId: (await makeUser(harness)).id,
  });
  const makeAllowedPair = async () => {
    const { partnerId, userId } = await makeKey(harness);
    return { partnerId, userId };
  };

  const makeHaltedWallet = async () => {
    const wallet = { network: 'base', address: makeAddress() };
    await sql(
      `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, created_at)
     values ($1, $2, 0, now(), 'a test', now())`,
      [wallet.network, wallet.address],
    );
    return wallet;
  };

  const makeHaltedDeposits = async () => {
    await sql(
      `insert into deposit_cursors (network, next_block, halted_at, halted_reason, updated_at)
     values ('base', 9, now(), 'a test', now())
     on conflict (network) do update set next_block = 9, halted_at = now(), halted_reason = 'a test'`,
    );
    return { network: 'base' };
  };

  const makeCompared = async () => {
    await harness.operator('treasury.reconcile', { network: 'base' });
    return { network: 'base' };
  };

  const newUnsettled = (userId: string) => ({
    userId,
    id: 'an order',
    transactionType: 'buy',
    status: 'pending',
    description: 'Deposit',
    legs: [{ network: 'base', assetReceived: 'USDC', amountReceived: '3' }],
  });

  const makeUnsettled = async () => {
    const { id: userId } = await makeUser(harness);
    await harness.operator('ledger.record-unsettled', newUnsettled(userId));
    return { userId, id: 'an order' };
  };

  /** An active card with collateral. */
  const makeCard = async () => {
    const { id: userId } = await makeUser(harness);
    const { body } = await harness.operator('cards.create', { userId, cards: [{ spendingLimit: '500' }] });
    const { id: cardId, cardIssuerUserId } = body.data.cards[0];
    await harness.operator('cards.update', { cardId, status: 'active' });
    await harness.operator('cards.simulate-collateral-deposit', { cardIssuerUserId, amount: '300' });
    return { userId, cardId, cardIssuerUserId };
  };

  const purchase = { amount: '9.5', merchantName: 'Kiosk' };

  /** A payment by card, settled where that is asked for. */
  const makePurchase = async (isSettled: boolean) => {
    const { cardId } = await makeCard();
    const { body } = await harness.operator('cards.simulate-authorization', { cardId, ...purchase });
    const { id: transactionId } = body.data.transaction;
    if (isSettled) await harness.operator('cards.simulate-settlement', { transactionId });
    return { transactionId };
  };

  const hookUrl = 'https://hooks.example.com/causeway';

  const makeEndpoint = async () => {
    const { id: partnerId } = await makePartner(harness);
    const { body } = await harness.operator('webhooks.create', { url: hookUrl, partnerId });
    noteSecret(body.data.secret.slice('whsec_'.length));
    return body.data.id as string;
  };

  /** A new command that changes something needs a line here. */
  const changes: Record<string, () => Promise<object>> = {
    'users.create': async () => ({
      email: `${mark()}@example.com`,
      givenName: 'Ana',
      familyName: 'Ribeiro',
      documentNumber: documentNumber(),
      taxId: taxId(),
    }),
    'users.update': async () => ({
      userId: (await makeUser(harness)).id,
      givenName: 'Changed',
      documentNumber: documentNumber(),
      taxId: taxId(),
    }),
    'users.add-wallet': async () => ({
      userId: (await makeUser(harness)).id,
      network: 'base',
      address: makeAddress(),
      custody: 'self',
    }),
    'users.remove-wallet': async () => {
      const { id: userId } = await makeUser(harness);
      const wallet = { userId, network: 'base', address: makeAddress(), custody: 'self' } as const;
      await addWallet(harness.operatorContext(), wallet);
      return { userId, network: 'base' };
    },
    'users.suspend': async () => ({ userId: (await makeUser(harness)).id, reason: 'a test' }),
    'users.resume': async () => {
      const { id: userId } = await makeUser(harness);
      await harness.operator('users.suspend', { userId, reason: 'a test' });
      return { userId };
    },
    'users.sign-in-link': async () => ({ userId: (await makeUser(harness)).id }),
    'users.block-address': async () => ({ address: makeAddress(), reason: 'a test' }),
    'users.unblock-address': async () => {
      const address = makeAddress();
      await blockAddress(harness.operatorContext(), { address, reason: 'a test' });
      return { address };
    },
    'users.reseal': async () => {
      const older = { ...harness.operatorContext(), sealer: harness.olderSealer };
      await createUser(older, {
        email: `${mark()}@example.com`,
        givenName: 'Ana',
        familyName: 'Ribeiro',
        taxId: taxId(),
      });
      return {};
    },
    'users.normalize-emails': async () => {
      const { id } = await makeUser(harness);
      await sql('update users set email = $2 where id = $1', [id, `jose\u0301.${mark()}@example.com`]);
      return {};
    },
    'partners.create': async () => ({ name: `Partner ${mark()}` }),
    'partners.allow-user': makePair,
    'partners.disallow-user': makeAllowedPair,
    'partners.suspend': async () => ({ partnerId: (await makePartner(harness)).id, reason: 'a test' }),
    'partners.resume': async () => {
      const { id: partnerId } = await makePartner(harness);
      await harness.operator('partners.suspend', { partnerId, reason: 'a test' });
      return { partnerId };
    },
    'keys.issue': async () => ({ name: 'test', ...(await makeAllowedPair()) }),
    'keys.suspend': async () => ({ keyId: (await makeKey(harness)).id, reason: 'a test' }),
    'keys.resume': async () => {
      const { id: keyId } = await makeKey(harness);
      await harness.operator('keys.suspend', { keyId, reason: 'a test' });
      return { keyId };
    },
    'keys.update': async () => ({ keyId: (await makeKey(harness)).id, scopes: ['mcp'] }),
    'keys.rotate': async () => ({ keyId: (await makeKey(harness)).id }),
    'keys.revoke': async () => ({ keyId: (await makeKey(harness)).id }),
    'integrations.register': async () => ({
      name: 'Lender',
      logoColor: '#1A7F5A',
      purposes: ['Lend'],
      scopes: ['kyc', 'email'],
      redirectUris: ['https://lender.example.com/back?from=causeway'],
    }),
    'integrations.update': async () => ({
      integrationId: (await makeIntegration(harness)).id,
      privacyUrl: 'https://lender.example.com/privacy',
    }),
    'integrations.set-logo': async () => ({
      integrationId: (await makeIntegration(harness)).id,
      logo: readFileSync('test/data/logo.png', 'base64'),
    }),
    'integrations.rotate-key': async () => ({ integrationId: (await makeIntegration(harness)).id }),
    'integrations.approve': async () => ({ applicationId: (await makeApplication(harness)).id }),
    'integrations.refuse': async () => ({
      applicationId: (await makeApplication(harness)).id,
      reason: 'The privacy policy does not name us',
    }),
    'integrations.revoke': async () => ({ integrationId: (await makeIntegration(harness)).id }),
    'people.invite': async () => ({ name: 'Ana', email: `${mark()}@example.com`, role: 'support' }),
    'people.reinvite': async () => ({ personId: (await makePerson(harness)).id }),
    'people.update': async () => ({ personId: (await makePerson(harness)).id, role: 'viewer' }),
    'people.remove': async () => ({ personId: (await makePerson(harness)).id }),
    'people.end-sessions': async () => {
      const { id: personId } = await makePerson(harness);
      await sql(
        `insert into person_sessions (secret_sha256, person_id, created_at, last_seen_at, asserted_at, expires_at)
       values (sha256($2), $1, now(), now(), now(), now() + interval '1 hour')`,
        [personId, mark()],
      );
      return { personId };
    },
    'events.skip-ahead': async () => ({}),
    'consents.revoke': async () => ({
      consentId: (await makeConsent(harness, await makeIntegration(harness))).id,
    }),
    'ledger.fund': async () => ({
      userId: (await makeUser(harness)).id,
      network: 'base',
      currency: 'EURC',
      amount: '12.5',
    }),
    'ledger.post': async () => ({
      key: `a test ${Math.random()}`,
      lines: [
        {
          userId: (await makeUser(harness)).id,
          transactionType: 'buy',
          network: 'base',
          assetReceived: 'USDC',
          amountReceived: '3',
          description: 'Deposit',
        },
      ],
    }),
    'ledger.record-unsettled': async () => newUnsettled((await makeUser(harness)).id),
    'ledger.update-unsettled': async () => ({ ...(await makeUnsettled()), status: 'started' }),
    'ledger.settle': makeUnsettled,
    'withdrawals.cancel': async () => {
      const { userId, token } = await makeKey(harness);
      const { body } = await harness.request('POST', `/api/crypto/${userId}/withdraw`, {
        token,
        body: { amount: '1', to: makeAddress(), network: 'base' },
      });
      const [row] = await sql('select id from withdrawals where bulk_id = $1', [body.data.bulkId]);
      return { withdrawalId: row!.id, reason: 'a test' };
    },
    'approvals.decide': async () => {
      const { id } = await requestApproval(operatorNamed(harness, 'alice'), {
        command: 'partners.create',
        input: { name: 'Acme' },
      });
      return { id, decision: 'refuse', comment: 'a test' };
    },
    'payouts.pause': async () => ({ userId: (await makeUser(harness)).id, reason: 'a test' }),
    'payouts.resume': async () => {
      const { id: userId } = await makeUser(harness);
      await harness.operator('payouts.pause', { userId, reason: 'a test' });
      return { userId };
    },
    'wallets.halt': async () => ({ network: 'base', address: makeAddress(), reason: 'a test' }),
    'wallets.resume': makeHaltedWallet,
    'wallets.recover': async () => ({ ...(await makeHaltedWallet()), fromBlock: 0 }),
    'wallets.rebind': async () => ({ deploymentId: `deployment ${mark()}` }),
    'wallets.void': async () => {
      const { nonce } = await signOne();
      await sql(`update payout_signers set halted_at = now(), halted_reason = 'a test'`);
      return { network: 'base', address: chain.hotWallet, nonce };
    },
    'wallets.accept-outcome': async () => {
      if (!isTakingFees) await takeFees(chain, 'USDT');
      isTakingFees = true;
      const { hash, send } = await signOne('USDT');
      await send();
      return { network: 'base', address: chain.hotWallet, transactionHash: hash, outcome: 'completed' };
    },
    'wallets.resend': async () => {
      const { nonce, send, ctx, lane } = await signOne();
      await send();
      await settleFinal(ctx, lane);
      // The blocks that `send` made.
      await chain.reorg(3);
      return { network: 'base', address: chain.hotWallet, fromNonce: nonce };
    },
    'treasury.reconcile': async () => ({ network: 'base' }),
    'treasury.accept': async () => {
      await makeCompared();
      await sql(`insert into treasury_totals values ('base', 'EURC', 'unexplained', -5000000, 1)
      on conflict (network, currency, name) do update set amount = -5000000`);
      await sql(
        `update treasury_assets set shortfall = 5000000, chain = chain - 5000000 where currency = 'EURC'`,
      );
      return { network: 'base', currency: 'EURC', amount: '5', reason: 'a test' };
    },
    'treasury.reopen': async () => ({ ...(await makeCompared()), reason: 'a test' }),
    'deposits.resume': makeHaltedDeposits,
    'deposits.rescan': async () => ({ ...(await makeHaltedDeposits()), fromBlock: 3 }),
    'cards.open-account': async () => ({ userId: (await makeUser(harness)).id }),
    'cards.create': async () => ({ userId: (await makeUser(harness)).id, cards: [{ spendingLimit: '500' }] }),
    'cards.configure-refill': async () => ({
      cardIssuerUserId: (await makeCard()).cardIssuerUserId,
      threshold: '20',
      amount: '50',
      network: 'base',
      currency: 'USDC',
      enabled: true,
    }),
    'cards.skip-event': async () => {
      await sql(`update card_event_cursor
      set last_sequence = 999998, missing_sequence = 999999, missing_since = now(), is_unreadable = true`);
      return { sequence: '999999', reason: 'a test' };
    },
    'cards.update': async () => ({ cardId: (await makeCard()).cardId, status: 'locked', reason: 'a test' }),
    'cards.simulate-authorization': async () => ({ cardId: (await makeCard()).cardId, ...purchase }),
    'cards.simulate-decline': async () => ({ cardId: (await makeCard()).cardId, ...purchase }),
    'cards.simulate-settlement': () => makePurchase(false),
    'cards.simulate-refund': () => makePurchase(true),
    'cards.simulate-collateral-deposit': async () => ({
      cardIssuerUserId: (await makeCard()).cardIssuerUserId,
      amount: '25',
    }),
    'positions.record': async () => ({
      userId: (await makeUser(harness)).id,
      positions: [{ kind: 'tokenized', token: 'PAXG', network: 'ethereum', amount: '0.5', costUsd: '900' }],
    }),
    'prices.forget': async () => {
      await sql(`insert into prices values ('GONE', 1.5, now(), now()) on conflict (token) do nothing`);
      return { token: 'GONE' };
    },
    'webhooks.create': async () => ({ url: hookUrl, partnerId: (await makePartner(harness)).id }),
    'webhooks.update': async () => ({ endpointId: await makeEndpoint(), enabled: false }),
    'webhooks.delete': async () => ({ endpointId: await makeEndpoint() }),
    'webhooks.rotate-secret': async () => ({ endpointId: await makeEndpoint() }),
    'webhooks.test': async () => ({ endpointId: await makeEndpoint() }),
    'webhooks.replay': async () => ({ endpointId: await makeEndpoint(), startDate: '2026-07-01T00:00:00Z' }),
    'webhooks.reseal': async () => {
      const endpointId = await makeEndpoint();
      const older = { ...harness.operatorContext(), sealer: harness.olderSealer };
      await rotateSecret(older, { endpointId });
      return {};
    },
    'rules.draft': async () => ({ rules: [{ name: 'Everything', verdict: 'allow' }] }),
    'rules.publish': async () => {
      const rules: Rule[] = [{ name: 'Everything', verdict: 'allow' }];
      const { revision } = await draftRules(operatorNamed(harness, 'somebody else'), { rules });
      return { revision };
    },
    'addresses.add': async () => ({ address: makeAddress(), name: 'Exchange' }),
    'addresses.remove': async () => {
      const { body } = await harness.operator('addresses.add', { address: makeAddress(), name: 'Exchange' });
      return { id: body.data.id };
    },
    'wallets.accept-foreign': async () => ({
      network: 'base',
      address: chain.hotWallet,
      transactionHash: await useSignedNonceElsewhere(),
    }),
  };

  let isTakingFees = false;

  /**
   * One withdrawal signed, and nothing else open or waiting in the wallet. `send` puts it into a block that
   * becomes final.
   */
  async function signOne(currency: 'USDC' | 'USDT' = 'USDC') {
    await sql('update payout_signers set halted_at = null, halted_reason = null');
    for (const { id } of await sql(`select id from withdrawals where status in ('queued', 'pending')`))
      await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'a test' });
    const key = await makeKey(harness);
    await makeFunds(harness, key.userId, 'base', currency, '1');
    await makeWithdrawal(harness, key, { network: 'base', currency });
    const lane = createLanes(harness.deps.evm.get('base')!)[0]!;
    // wallets.rebind may have bound the database to another deployment, whose workers sign from then on.
    const [bound] = await sql('select id from deployment');
    if (bound) harness.deps.deploymentId = bound.id as string;
    const ctx = contextFor(harness.deps, { kind: 'worker', job: 'test' } as const, harness.deps.log);
    await holdQueued(ctx, lane);
    await signPending(ctx, lane);
    const [slot] = await sql(
      `select nonce::integer as nonce, hash, raw from payout_slots s join payout_attempts a using (network, address, nonce)
     where s.state = 'open' and not a.is_void`,
    );
    const { nonce, hash, raw } = slot as { nonce: number; hash: string; raw: Buffer };
    const send = async () => {
      await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
      await chain.mine(2);
    };
    return { nonce, hash, send, ctx, lane };
  }

  /** Signs a withdrawal, and then another transfer with the same nonce, which is the one that gets final. */
  async function useSignedNonceElsewhere(): Promise<string> {
    const { nonce, lane } = await signOne();
    const token = chain.settings.tokens[0]!.address;
    const { raw, hash } = await lane.signer.signTransfer({
      chainId: lane.network.chainId,
      nonce,
      gas: 150_000n,
      token,
      amount: 1n,
      to: makeAddress(),
      reference: randomUUID(),
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    });
    await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    await chain.mine(2);
    return hash;
  }

  return changes;
}
