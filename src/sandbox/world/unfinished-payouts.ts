import { addressOfKey, callNode, createEvm, type NetworkSettings, type PrivateKey } from '#adapters/evm';
import { type Ctx, contextFor, type Deps, type OperatorActor } from '#context';
import { haltWallet, payoutJobs, resumeWallet, voidSlot } from '#features/payouts';
import { showWithdrawal } from '#features/withdrawals';
import { encodeTokenCall } from '../devnet/token-calls.ts';
import type { SandboxFile } from '../sandbox-file.ts';
import { unfinishedOn } from '../unfinished-on.ts';

interface UnfinishedOptions {
  /** Settings of the network. */
  network: NetworkSettings;
  /** In the settings beside the main wallet, and without gas. */
  spareWalletKey: PrivateKey;
  /** Mints tokens on the devnet. */
  tokenIssuerKey: PrivateKey;
  sandbox: Pick<SandboxFile, 'networks' | 'withdrawals'>;
  actor: OperatorActor;
}

const gwei = 10n ** 9n;
const risenFee = 2n * gwei;
const tokens = 5_000_000_000n;

/**
 * Makes the two withdrawals that never finish, on wallets that pay nothing else. A withdrawal belongs to the
 * wallet that signed it first, so no other wallet pays them. Does nothing at the next start.
 */
export async function makeUnfinishedPayouts(deps: Deps, options: UnfinishedOptions): Promise<void> {
  const { withdrawals } = options.sandbox;
  if (await isUntouched(deps, options, withdrawals.processing)) await signForRetired(deps, options);
  if (await isUntouched(deps, options, withdrawals.waitingForGas)) await signForSpare(deps, options);
}

async function isUntouched(deps: Deps, { actor }: UnfinishedOptions, withdrawalId: string): Promise<boolean> {
  const life = await showWithdrawal(contextFor(deps, actor, deps.log), { withdrawalId });
  return (
    ['queued', 'pending'].includes(life.withdrawal.status) && !life.payout && life.formerPayouts.length === 0
  );
}

/**
 * Stays in processing: signed by a wallet whose key is thrown away, and then fees rise above its offer. The
 * payout is not halted, because fees that are too low end without a person.
 */
async function signForRetired(deps: Deps, options: UnfinishedOptions): Promise<void> {
  const key: PrivateKey = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`;
  const rpc = await fundWallet(options, key);
  const { processing: withdrawalId } = options.sandbox.withdrawals;
  if (!(await signOne(deps, options, { key, feeCap: gwei, withdrawalId }))) return;
  await rpc('hardhat_setNextBlockBaseFeePerGas', `0x${risenFee.toString(16)}`);
  await rpc('evm_mine');
}

/** Stays pending: its signature was voided before it was sent, and its wallet has no gas for another. */
async function signForSpare(deps: Deps, options: UnfinishedOptions): Promise<void> {
  const { actor, network, spareWalletKey: key } = options;
  const rpc = await fundWallet(options, key);
  const { waitingForGas: withdrawalId } = options.sandbox.withdrawals;
  if (!(await signOne(deps, options, { key, feeCap: network.feeCap, withdrawalId }))) return;
  const address = addressOfKey(key);
  const wallet = { network: unfinishedOn, address };
  const context = (): Ctx => contextFor(deps, actor, deps.log);
  await haltWallet(context(), { ...wallet, reason: 'Its gas is moved to the main wallet' });
  await voidSlot(context(), { ...wallet, nonce: 0 });
  await rpc('hardhat_setBalance', address, '0x0');
  await resumeWallet(context(), wallet);
}

/** With tokens, and gas for a few payouts. */
async function fundWallet({ sandbox, tokenIssuerKey }: UnfinishedOptions, key: PrivateKey) {
  const { rpcUrl, tokens: addresses } = sandbox.networks[unfinishedOn]!;
  const rpc = (method: string, ...params: unknown[]) =>
    callNode<unknown>({ rpcUrl, method, params, timeoutMs: 30_000 });
  const [issuer, wallet] = [addressOfKey(tokenIssuerKey), addressOfKey(key)];
  await rpc('hardhat_impersonateAccount', issuer);
  for (const address of [issuer, wallet]) await rpc('hardhat_setBalance', address, '0xde0b6b3a7640000');
  const data = encodeTokenCall('mint', wallet, tokens);
  await rpc('eth_sendTransaction', { from: issuer, to: addresses.USDC, data });
  await rpc('evm_mine');
  return rpc;
}

/**
 * Of what the network has, the withdrawal that was requested first; by the worker's own steps. False unless
 * that is the wanted one: it was requested before a newcomer's.
 */
async function signOne(
  deps: Deps,
  { network, actor }: UnfinishedOptions,
  { key, feeCap, withdrawalId }: { key: PrivateKey; feeCap: bigint; withdrawalId: string },
): Promise<boolean> {
  const evm = createEvm([{ ...network, signerKeys: [key], feeCap, unminedMax: 1 }]);
  const run = async (step: string) => {
    const job = payoutJobs().find(({ name }) => name === `payouts.${step} ${unfinishedOn}`)!;
    return job.run({ ...deps, evm });
  };
  await run('hold');
  await run('sign');
  const { payout } = await showWithdrawal(contextFor(deps, actor, deps.log), { withdrawalId });
  return payout?.address.toLowerCase() === addressOfKey(key).toLowerCase();
}
