import type { Ctx } from '#context';
import { fundAccount } from '#features/ledger';
import { demoUsers } from './people.ts';

const demoFunds = [
  ['owner', 'polygon', 'USDT', '100000'],
  ['owner', 'ethereum', 'USDT', '100000'],
  ['owner', 'base', 'USDT', '100000'],
  ['owner', 'polygon', 'USDC', '50000'],
  ['owner', 'ethereum', 'USDC', '50000'],
  ['owner', 'base', 'USDC', '50000'],
  ['owner', 'base', 'EURC', '20000'],
  ['friend', 'polygon', 'USDC', '1000'],
] as const;

/** What the people of the sandbox can spend. Funds that they were given before are not given again. */
export async function fundPeople(ctx: Ctx): Promise<void> {
  for (const [name, network, currency, amount] of demoFunds) {
    const userId = demoUsers[name].id;
    await fundAccount(ctx, {
      userId,
      network,
      currency,
      amount,
      reference: `demo ${name} ${currency} ${network}`,
    });
  }
}
