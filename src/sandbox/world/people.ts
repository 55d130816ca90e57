import { networks } from '#adapters/evm';
import type { Ctx } from '#context';
import { addWallet, blockAddress, type Custody, createUser, type NewUser } from '#features/users';

/** The users of the sandbox. Their ids and wallets never change, so that notes and scripts stay valid. */
export const demoUsers = {
  owner: {
    ...person(1, 'ana.ribeiro@example.com', 'Ana', 'Ribeiro'),
    postalAddress: 'Rua do Ouro 12, 3.º Esq., 1100-061 Lisboa, Portugal',
  },
  friend: person(2, 'bruno.costa@example.com', 'Bruno', 'Costa'),
  /** She holds the keys of her wallets, so payments to them are not added to her balance. */
  stranger: { ...person(3, 'chen.wei@example.com', 'Chen', 'Wei'), custody: 'self' as const },
  blocked: person(4, 'dara.okafor@example.com', 'Dara', 'Okafor'),
  business: {
    ...person(5, 'treasury@mareverde.example.com', 'Elisa', 'Duarte'),
    entityType: 'business' as const,
    legalName: 'Mar Verde Comércio Ltda',
    documentType: 'cnpj',
    documentNumber: '11.222.333/0001-81',
    taxId: '11222333000181',
    postalAddress: 'Avenida Paulista 1578, 14.º andar, 01310-200 São Paulo, Brasil',
  },
};

/** Users with wallets of either custody on every network, and one address that may not receive tokens. */
export async function createPeople(ctx: Ctx): Promise<void> {
  for (const { wallet, custody, ...user } of Object.values(demoUsers)) {
    await createUser(ctx, user);
    for (const network of networks) {
      await addWallet(ctx, { userId: user.id, network, address: wallet, custody });
    }
  }
  await blockAddress(ctx, {
    address: demoUsers.blocked.wallet,
    reason: 'Sandbox example of a sanctioned address',
  });
}

function person(number: number, email: string, givenName: string, familyName: string) {
  const digit = number.toString(16);
  const user: NewUser & { id: string; wallet: string; custody: Custody } = {
    id: `0198a0de-0000-7000-8000-00000000000${digit}`,
    email,
    givenName,
    familyName,
    emailVerified: true,
    documentType: 'passport',
    documentNumber: `XD${100_000 + number * 7_919}`,
    taxId: `${300_000_000 + number * 1_234_567}`,
    custody: 'platform',
    wallet: `0x${digit.repeat(4)}${'c0ffee'.repeat(5)}${digit.repeat(6)}`,
  };
  return user;
}
