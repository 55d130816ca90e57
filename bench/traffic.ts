import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { addressOfKey, callNode } from '#adapters/evm';
import { renderAnswer } from '../src/cli/render-answer.ts';
import { readSandboxFile, type SandboxFile } from '../src/sandbox/index.ts';
import { readOrMakeSecrets } from '../src/sandbox/secrets.ts';

type Hex = `0x${string}`;

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function setFrozen(address account, bool isFrozen)',
]);
const unit = 1_000_000n;
const view = { width: 140, isWide: false, now: new Date() };
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/**
 * Mixed traffic on a sandbox, and whether the treasury explains every difference while it runs and after it.
 * `npm run bench -- traffic 60` is an hour; 2 minutes where no number is given. A second number is the pause
 * between two operations in milliseconds. Exits with 1 if anything is left, or an operation never succeeded.
 */
export async function runAlone([minutes = '2', pauseMs = '200']: string[]): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-traffic-'));
  const home = path.join(folder, 'home');
  const env = { ...process.env, CAUSEWAY_HOME: home, PORT: '0', DATABASE_URL: '' };
  const child = spawn(process.execPath, ['src/cli.ts', 'sandbox'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const sandbox = await waitFor('the sandbox', () =>
      existsSync(home) ? Promise.resolve(readSandboxFile(home)) : undefined,
    );
    await drive(sandbox, addressOfKey(readOrMakeSecrets(home).issuerKey), {
      forMs: Number(minutes) * 60_000,
      pauseMs: Number(pauseMs),
    });
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function drive(
  sandbox: SandboxFile,
  issuer: string,
  { forMs, pauseMs }: { forMs: number; pauseMs: number },
): Promise<void> {
  const world = await makeWorld(sandbox, issuer);
  await world.reconcile();
  // A payment of the demo data waits for an approval.
  const standing = await world.findOpen();
  const counts = new Map<string, number>();
  const startedAt = Date.now();
  const reportEveryMs = Math.min(forMs / 4, 300_000);
  let [reportAt, wrong] = [startedAt + reportEveryMs, 0];
  while (Date.now() < startedAt + forMs) {
    const name = pick(Object.keys(world.steps));
    const outcome = await world.steps[name]!().then(
      () => name,
      (error: Error) => `${name}: ${error.message}`,
    );
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    await sleep(pauseMs);
    if (Date.now() < reportAt) continue;
    reportAt = Date.now() + reportEveryMs;
    const { isExplained, items } = await world.reconcile();
    if (!isExplained) wrong++;
    console.log(`\nAfter ${Math.round((Date.now() - startedAt) / 1_000)} s, while traffic runs:\n`);
    console.log(renderAnswer({ items: items.filter(isTelling) }, view));
  }
  const passing = ['- open payouts', '- deposits not posted yet', '- ahead of the block'];
  let open: string[] = [];
  const last = await waitFor('an end of all that is open', async () => {
    const answer = await world.reconcile();
    const items = answer.items.filter(({ what }) => passing.includes(what));
    const started = (await world.findOpen()).filter((figure) => !standing.includes(figure));
    open = [...started, ...items.map((item) => JSON.stringify(item))];
    return open.length > 0 ? undefined : answer;
  }).catch((error) => {
    console.log(`\nStill open:\n${open.join('\n')}`);
    throw error;
  });
  console.log('\nWhat was done:\n');
  for (const [name, count] of [...counts].sort()) console.log(`${String(count).padStart(6)}  ${name}`);
  console.log('\nAt the end:\n');
  console.log(renderAnswer({ items: last.items }, view));
  if (!last.isExplained) wrong++;
  console.log(
    wrong === 0 ? '\nEvery difference is explained.' : `\n${wrong} comparisons left something unexplained.`,
  );
  const undone = Object.keys(world.steps).filter((name) => !counts.has(name));
  if (undone.length > 0) console.log(`\nNever done: ${undone.join(', ')}.`);
  if (wrong + undone.length > 0) process.exitCode = 1;
}

interface Reconciled {
  items: { network: string; currency: string; what: string; amount: string }[];
  isExplained: boolean;
}

const isTelling = ({ currency }: { currency: string }) => currency === 'USDC';

/** Users with keys and wallets of each custody on two networks, and what they and strangers do. */
async function makeWorld(sandbox: SandboxFile, issuer: string) {
  const networks = ['polygon', 'base'];
  const operator = async <Answer>(command: string, input: object): Promise<Answer> =>
    post(`${sandbox.operatorUrl}/operator/${command}`, sandbox.operatorToken, input);
  const chainOf = (network: string) => sandbox.networks[network]!;
  const ask = <Answer>(network: string, method: string, ...params: unknown[]) =>
    callNode<Answer>({ rpcUrl: chainOf(network).rpcUrl, method, params, timeoutMs: 20_000 });

  const prepared = new Set<string>();
  /** By an account whose key we need not have. */
  const send = async (network: string, from: string, data: Hex) => {
    if (!prepared.has(`${network} ${from}`)) {
      await ask(network, 'hardhat_setBalance', from, '0x3635c9adc5dea00000');
      await ask(network, 'hardhat_impersonateAccount', from);
      prepared.add(`${network} ${from}`);
    }
    const { tokens } = chainOf(network);
    await ask(network, 'eth_sendTransaction', { from, to: tokens.USDC, gas: '0x7a120', data });
  };
  const mint = (network: string, to: string, amount: bigint) =>
    send(network, issuer, encodeFunctionData({ abi, functionName: 'mint', args: [to as Hex, amount] }));
  const transfer = (network: string, from: string, to: string, amount: bigint) =>
    send(network, from, encodeFunctionData({ abi, functionName: 'transfer', args: [to as Hex, amount] }));

  const { id: partnerId } = await operator<{ id: string }>('partners.create', { name: 'Traffic' });
  const users = await Promise.all(
    (['platform', 'platform', 'platform', 'platform', 'self', 'self'] as const).map(async (custody, at) => {
      const email = `traffic${at}-${randomUUID()}@example.com`;
      const name = { givenName: 'Ana', familyName: `${at}` };
      const user = await operator<{ id: string }>('users.create', { email, emailVerified: true, ...name });
      await operator('partners.allow-user', { partnerId, userId: user.id });
      const key = await operator<{ token: string }>('keys.issue', {
        name: 'Traffic',
        partnerId,
        userId: user.id,
      });
      const wallet = newAddress();
      for (const network of networks) {
        await operator('users.add-wallet', { userId: user.id, network, address: wallet, custody });
        await operator('ledger.fund', { userId: user.id, network, currency: 'USDC', amount: '100000' });
      }
      return { id: user.id, token: key.token, wallet, custody };
    }),
  );
  const platform = users.filter(({ custody }) => custody === 'platform');
  const self = users.filter(({ custody }) => custody === 'self');
  const stranger = newAddress();
  for (const network of networks) await mint(network, stranger, 1_000_000n * unit);

  const withdraw = (
    to: string,
    amount = `${1 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 9)}1`,
  ) => {
    const senders = users.filter(({ wallet }) => wallet !== to);
    const { id, token } = pick(senders);
    return post(`${sandbox.baseUrl}/api/crypto/${id}/withdraw`, token, {
      amount,
      to,
      network: pick(networks),
      currency: 'USDC',
    });
  };
  const some = () => BigInt(1 + Math.floor(Math.random() * 40_000_000));
  const line = (fields: object) => ({
    key: randomUUID(),
    lines: [{ userId: pick(users).id, network: pick(networks), description: 'By hand', ...fields }],
  });

  const steps: Record<string, () => Promise<unknown>> = {
    'withdraw to an outside address': () => withdraw(newAddress()),
    'withdraw to a platform wallet': () => withdraw(pick(platform).wallet),
    'withdraw to a self wallet': () => withdraw(pick(self).wallet),
    'withdraw to a user': () => withdraw(pick(platform).id),
    'withdraw more than there is': () => withdraw(newAddress(), '99999999'),
    'withdraw to an address that is frozen then': async () => {
      const [to, network] = [newAddress(), pick(networks)];
      const { id, token } = pick(users);
      await post(`${sandbox.baseUrl}/api/crypto/${id}/withdraw`, token, {
        amount: '3',
        to,
        network,
        currency: 'USDC',
      });
      await send(
        network,
        issuer,
        encodeFunctionData({ abi, functionName: 'setFrozen', args: [to as Hex, true] }),
      );
    },
    'deposit to a platform wallet': () => transfer(pick(networks), stranger, pick(platform).wallet, some()),
    'transfer to a self wallet': () => transfer(pick(networks), stranger, pick(self).wallet, some()),
    'dust to a platform wallet': () => transfer(pick(networks), stranger, pick(platform).wallet, 1n),
    'fund the hot wallet': () => {
      const network = pick(networks);
      return transfer(network, stranger, chainOf(network).hotWallet, some());
    },
    'sweep a platform wallet': () => {
      const network = pick(networks);
      return transfer(network, pick(platform).wallet, chainOf(network).hotWallet, 1_000n);
    },
    'credit by hand': () =>
      operator('ledger.post', line({ transactionType: 'buy', assetReceived: 'USDC', amountReceived: '2.5' })),
    'debit by hand': () =>
      operator('ledger.post', line({ transactionType: 'sell', assetSent: 'USDC', amountSent: '0.75' })),
    fund: () =>
      operator('ledger.fund', {
        userId: pick(users).id,
        network: pick(networks),
        currency: 'USDC',
        amount: '10',
      }),
  };

  return {
    steps,
    reconcile: () =>
      waitFor('a comparison', () =>
        operator<Reconciled>('treasury.reconcile', {}).catch((error: Error) => {
          // Another comparison was first, or a devnet has just compacted its journal.
          console.log(`repeated: ${error.message}`);
          return undefined;
        }),
      ),
    /** Figures of withdrawals that are not ended, as `/metrics` has them. */
    async findOpen(): Promise<string[]> {
      const text = await (await fetch(`${sandbox.baseUrl}/metrics`)).text();
      return text.match(/^causeway_withdrawals_waiting\{.*\} [1-9]\d*$/gm) ?? [];
    },
  };
}

async function post<Answer>(url: string, token: string, body: object): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data, error } = (await answer.json()) as { data: Answer; error?: string };
  if (!answer.ok) throw new Error(`${answer.status} ${error}`);
  return data;
}

async function waitFor<T>(what: string, look: () => Promise<T | undefined> | undefined): Promise<T> {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(1_000)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`${what} did not come within three minutes`);
}
