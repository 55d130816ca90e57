import { addressOfKey, callNode, type Network, type PrivateKey } from '#adapters/evm';
import type { Ctx, OperatorActor } from '#context';
import { simulateActivity } from '#features/cards';
import { encodeTokenCall } from '../devnet/token-calls.ts';
import type { SandboxFile } from '../sandbox-file.ts';
import { makeExpiredConsent } from '../world/connect.ts';
import { requestWithdrawal } from '../world/request-withdrawal.ts';
import type { Simulated, SimulationName } from './simulation-list.ts';

export interface Scene {
  ctx: Ctx<OperatorActor>;
  sandbox: Pick<SandboxFile, 'users' | 'keys' | 'partner' | 'networks' | 'cards' | 'integrations'>;
  /** Mints tokens on the devnets. */
  tokenIssuerKey: PrivateKey;
}

const pauseMs = 20_000;

/** One accident each; what was changed is put back after a while. */
export const simulations: Record<SimulationName, (scene: Scene) => Promise<Simulated>> = {
  async deposit(scene) {
    const { rpc, sandbox, issuer } = onChain(scene, 'polygon');
    const token = sandbox.networks.polygon!.tokens.USDC!;
    const exchange = `0x${'e0'.repeat(20)}` as const;
    const amount = 25_000_000n;
    for (const address of [issuer, exchange]) {
      await rpc('hardhat_impersonateAccount', address);
      await rpc('hardhat_setBalance', address, '0xde0b6b3a7640000');
    }
    const minted = encodeTokenCall('mint', exchange, amount);
    await rpc('eth_sendTransaction', { from: issuer, to: token, data: minted });
    const paid = encodeTokenCall('transfer', sandbox.users.owner.wallet, amount);
    await rpc('eth_sendTransaction', { from: exchange, to: token, data: paid });
    return {
      text: '25 USDC are on their way to Ana on polygon. They are in her history within seconds.',
      look: [{ path: '/api/history?resource=account&feature=account-onramp&pageSize=1', as: 'partner' }],
    };
  },

  async 'withdrawal-stuck'(scene) {
    const { rpc } = onChain(scene, 'polygon');
    await rpc('evm_setAutomine', false);
    later(() => rpc('evm_setAutomine', true));
    const look = await pay(scene, 'polygon', 'USDT');
    return { text: 'Polygon makes no block for 20 seconds: the withdrawal stays in processing.', look };
  },

  async reorg(scene) {
    const { rpc } = onChain(scene, 'polygon');
    await rpc('devnet_reorganise');
    const look = await pay(scene, 'polygon', 'USDC');
    return { text: 'The block with the payment is replaced. The payment is sent again, once.', look };
  },

  async 'node-down'(scene) {
    const { rpc } = onChain(scene, 'ethereum');
    const look = await pay(scene, 'ethereum', 'USDC');
    await rpc('devnet_silence', pauseMs);
    return { text: 'The node of ethereum does not answer for 20 seconds. /ready names the network.', look };
  },

  async 'gas-empty'(scene) {
    const { rpc, sandbox } = onChain(scene, 'base');
    const { hotWallet } = sandbox.networks.base!;
    const balance = BigInt(await rpc<string>('eth_getBalance', hotWallet, 'latest'));
    await rpc('hardhat_setBalance', hotWallet, '0x0');
    later(async () => {
      const left = BigInt(await rpc<string>('eth_getBalance', hotWallet, 'latest'));
      await rpc('hardhat_setBalance', hotWallet, `0x${(left + balance).toString(16)}`);
    });
    const look = await pay(scene, 'base', 'USDC');
    return { text: 'The hot wallet on base has no gas for 20 seconds: the withdrawal is pending.', look };
  },

  async chargeback({ ctx, sandbox }) {
    const { id: cardId } = sandbox.cards.active;
    const { events } = await simulateActivity(ctx, {
      kind: 'authorization',
      cardId,
      amount: '84.00',
      merchantName: 'Electronics Outlet',
    });
    const changed = events.find((event) => event.type === 'transaction.changed');
    const transactionId = changed!.data.id;
    await simulateActivity(ctx, { kind: 'settlement', transactionId });
    await simulateActivity(ctx, { kind: 'refund', transactionId });
    return {
      text: 'A payment of 84.00 dollars was settled and charged back: two transactions, one balance.',
      look: [
        { path: '/api/history?resource=cards&feature=cards-transactions&filterByText=outlet', as: 'partner' },
      ],
    };
  },

  async 'consent-expired'({ ctx, sandbox }) {
    const consentId = await makeExpiredConsent(ctx, sandbox);
    return {
      text: 'Ana’s consent of 30 days ended yesterday: reading is refused with 410.',
      look: [{ path: `/api/v1/consent/${consentId}/user`, as: 'integration' }],
    };
  },
};

function onChain({ sandbox, tokenIssuerKey }: Scene, network: Network) {
  const { rpcUrl } = sandbox.networks[network]!;
  const rpc = <Result>(method: string, ...params: unknown[]) =>
    callNode<Result>({ rpcUrl, method, params, timeoutMs: 30_000 });
  return { rpc, sandbox, issuer: addressOfKey(tokenIssuerKey) };
}

/** Ana pays Bruno one unit; returns where to see it. */
async function pay({ ctx, sandbox }: Scene, network: Network, currency: string): Promise<Simulated['look']> {
  const { keys, partner, users } = sandbox;
  const externalId = `simulated-${Date.now()}`;
  const payment = { network, currency, amount: '1', to: users.friend.email, externalId };
  await requestWithdrawal(ctx, keys.full, partner.id, payment);
  return [{ path: `/api/crypto/${users.owner.id}/withdraws?externalId=${externalId}`, as: 'partner' }];
}

/** If the sandbox stops first, the next start begins as usual. */
function later(undo: () => Promise<unknown>): void {
  setTimeout(() => void undo().catch(() => {}), pauseMs).unref();
}
