import { checksumAddress, networks, parseAddress, tokenAddresses } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { type Change, recordChanges } from '#features/audit';
import { violates } from '#platform/db/db';
import { userErrors } from './errors.ts';
import { selectUserForUpdate } from './queries/users.ts';
import {
  type Custody,
  hasOpenCredit,
  isCollateralAddress,
  isPayoutSigner,
  lockAddress,
  selectPlatformElsewhere,
  selectWallet,
  upsertWallet,
  wasInSelfCustody,
} from './queries/wallets.ts';

export interface NewWallet {
  userId: string;
  network: string;
  address: string;
  custody: Custody;
}

const zeroAddress = `0x${'0'.repeat(40)}`;

/**
 * Records the verified smart wallet of a user on a network; another one there is replaced. In self custody,
 * the same address on other networks is so from then on, too.
 * @example
 * await addWallet(ctx, { userId, network: 'base', address, custody: 'platform' });
 */
export function addWallet(ctx: Ctx, input: NewWallet): Promise<NewWallet> {
  return inTransaction(ctx, async (ctx) => {
    const { custody } = input;
    const address = parseAddress(input.address);
    if (!address) throw userErrors.invalidAddress();
    if (address === zeroAddress) throw userErrors.zeroAddress();
    // Money follows the wallet: a misspelt network would be noticed only when a withdrawal finds no wallet.
    const network = networks.find((name) => name === input.network.toLowerCase());
    if (!network) throw userErrors.unknownNetwork();
    await lockAddress(ctx.db, address);
    const user = await selectUserForUpdate(ctx.db, input.userId);
    if (!user) throw userErrors.userNotFound();
    const recorded = { userId: user.id, network, address: checksumAddress(address), custody };
    const before = await selectWallet(ctx.db, user.id, network);
    const isSameAddress = before?.address === address;
    const changes: Change[] = [];
    if (!isSameAddress || before.custody !== custody) {
      if (isSameAddress && before.custody === 'self') throw userErrors.custodyKept();
      await requireAllowed(ctx, { network, address, custody });
      await upsertWallet(ctx.db, { userId: user.id, network, address, custody, verifiedAt: ctx.now }).catch(
        (error) => {
          throw violates(error, 'user_wallets_address_key')
            ? userErrors.walletTaken({ cause: error })
            : error;
        },
      );
      changes.push(
        changeOf(user.id, {
          network,
          before: before && [before.address, before.custody],
          after: [address, custody],
        }),
      );
    }
    // Also if it was recorded before: an older release left the other networks as they were.
    if (custody === 'self')
      changes.push(...(await handOverElsewhere(ctx, recorded.userId, { network, address })));
    await recordChanges(
      ctx.db,
      changes.map((change) => ({ ctx, ...change })),
    );
    return recorded;
  });
}

interface Place {
  network: string;
  address: string;
}

async function requireAllowed(
  ctx: Ctx,
  { network, address, custody }: Place & { custody: Custody },
): Promise<void> {
  // Who has held the keys can copy them, and would spend on chain what is also credited.
  if (custody === 'platform' && (await wasInSelfCustody(ctx.db, address))) throw userErrors.keysKnown();
  if (await isOfOurs(ctx, address)) throw userErrors.addressOfOurs();
  // The card issuer credits payments to this address: a user's ledger would be credited with the same money.
  if (await isCollateralAddress(ctx.db, address)) throw userErrors.collateralAddress();
  // The payment was promised to a user's balance, which must not grow by what this user can spend on chain.
  if (custody === 'self' && (await hasOpenCredit(ctx.db, network, address))) throw userErrors.walletInUse();
}

/** The same keys sign on every network, so nothing more is credited there either. */
async function handOverElsewhere(ctx: Ctx, userId: string, { network, address }: Place): Promise<Change[]> {
  const others = await selectPlatformElsewhere(ctx.db, address, network);
  for (const other of others) {
    if (other.userId !== userId)
      throw userErrors.platformElsewhere({
        message: `This address is a platform wallet of another user on ${other.network}: remove it there first`,
      });
    if (await hasOpenCredit(ctx.db, other.network, address)) throw userErrors.walletInUse();
    const wallet = { userId, network: other.network, address, custody: 'self', verifiedAt: ctx.now } as const;
    await upsertWallet(ctx.db, wallet);
  }
  return others.map((other) =>
    changeOf(userId, { network: other.network, before: [address, 'platform'], after: [address, 'self'] }),
  );
}

type Kept = readonly [address: string, custody: Custody];

function changeOf(
  userId: string,
  { network, before, after }: { network: string; before: Kept | undefined; after: Kept },
): Change {
  const shown = ([address, custody]: Kept) => ({ network, address: checksumAddress(address), custody });
  return {
    action: 'users.add-wallet',
    subject: `user:${userId}`,
    before: before ? shown(before) : null,
    after: shown(after),
  };
}

/** On any network: tokens sent to a token's contract are lost, and a hot wallet belongs to no user. */
async function isOfOurs(ctx: Ctx, address: string): Promise<boolean> {
  const configured = [...ctx.evm.values()].flatMap(({ signers, tokens }) => [
    ...signers.map((signer) => signer.address),
    ...[...tokens.values()].map((token) => token.address),
  ]);
  const published = Object.values(tokenAddresses).flatMap((ofOne) => Object.values(ofOne));
  const isKnown = [...configured, ...published].some((each) => each.toLowerCase() === address);
  return isKnown || isPayoutSigner(ctx.db, address);
}
