import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { addWallet } from './add-wallet.ts';
import { blockAddress, unblockAddress } from './block-address.ts';
import { checkEmails, emailFaults } from './check-emails.ts';
import { createUser } from './create-user.ts';
import { listBlockedAddresses } from './list-blocked-addresses.ts';
import { listUsers } from './list-users.ts';
import { normalizeEmails } from './normalize-emails.ts';
import { removeWallet } from './remove-wallet.ts';
import { resealUsers } from './reseal-users.ts';
import { resumeUser, suspendUser } from './suspend-user.ts';
import { updateUser } from './update-user.ts';
import { custody, email, profileFields, user, wallet } from './wire.ts';

const names = { givenName: line(100), familyName: line(100) };
const optionalProfile = Type.Partial(Type.Object(profileFields)).properties;
const address = Type.String({ maxLength: 42, description: '0x and 40 hex digits' });
const network = Type.String({
  pattern: '^[A-Za-z0-9-]{1,40}$',
  description: 'Such as polygon, ethereum or base',
});
const blockedAddress = Type.Object({ address: Type.String(), blocked: Type.Boolean() });

const emailPart = (maximum: number, description: string) =>
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum, description })),
      cursor: cursorInput.cursor,
    },
    closed,
  );
const emailItems = Type.Array(
  Type.Object({
    userId: uuid,
    email: Type.String(),
    normalEmail: nullable(Type.String({ description: 'null if it is not an email address' })),
    fault: Type.Enum([...emailFaults]),
    sharedWith: Type.Array(uuid, { description: 'Other users with this email' }),
  }),
);
const emailColumns = ['email', 'fault', 'userId', 'sharedWith', 'normalEmail'];

export const userCommands = [
  defineCommand({
    name: 'users.create',
    summary: 'Create a user.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object({ email, ...names, ...optionalProfile }, closed),
    output: user,
    run: (ctx: Ctx, input) => createUser(ctx, input),
  }),
  defineCommand({
    name: 'users.update',
    summary: 'Update a user; fields that are left out stay as they are.',
    changes: true,
    roles: alsoFor('support'),
    stepUp: true,
    examples: ['0198a6a0-0000-7000-8000-000000000001 --email ana@example.org --email-verified'],
    input: Type.Object(
      { userId: uuid, ...Type.Partial(Type.Object({ email, ...names, ...profileFields })).properties },
      { ...closed, minProperties: 2 },
    ),
    output: user,
    run: (ctx: Ctx, input) => updateUser(ctx, input),
  }),
  defineCommand({
    name: 'users.suspend',
    summary: 'Suspend a user: keys, sessions and new withdrawals are refused, unsigned payouts wait.',
    changes: true,
    roles: alsoFor('support', 'compliance'),
    input: Type.Object({ userId: uuid, reason: line(500) }, closed),
    output: user,
    run: (ctx: Ctx, input) => suspendUser(ctx, input),
  }),
  defineCommand({
    name: 'users.resume',
    summary: 'End the suspension of a user; payouts that waited are paid.',
    changes: true,
    roles: alsoFor('compliance'),
    stepUp: true,
    input: Type.Object({ userId: uuid }, closed),
    output: user,
    run: (ctx: Ctx, input) => resumeUser(ctx, input),
  }),
  defineCommand({
    name: 'users.list',
    summary: 'List users with their wallets, oldest first.',
    changes: false,
    roles: everyone,
    examples: ['--email ana@example.com'],
    columns: ['email', 'suspendedAt', 'id', 'givenName', 'familyName', 'createdAt'],
    input: Type.Object(
      {
        email: Type.Optional(email),
        userId: Type.Optional(uuid),
        address: Type.Optional(Type.With(address, { description: 'Only users with this wallet' })),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(Type.Object({ ...user.properties, wallets: Type.Array(wallet) })),
    run: (ctx: Ctx, input) => listUsers(ctx, input),
  }),
  defineCommand({
    name: 'users.add-wallet',
    summary: "Record a user's verified smart wallet on a network; it replaces the previous one.",
    changes: true,
    roles: alsoFor('support'),
    stepUp: true,
    input: Type.Object({ userId: uuid, network, address, custody }, closed),
    output: Type.Object({ userId: uuid, network: Type.String(), address: Type.String(), custody }),
    run: (ctx: Ctx, input) => addWallet(ctx, input),
  }),
  defineCommand({
    name: 'users.remove-wallet',
    summary: "Remove a user's wallet on a network: the user can no longer be paid or receive deposits there.",
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object({ userId: uuid, network }, closed),
    output: Type.Object({ userId: uuid, network: Type.String(), removed: nullable(Type.String()) }),
    run: (ctx: Ctx, input) => removeWallet(ctx, input),
  }),
  defineCommand({
    name: 'users.block-address',
    summary: 'Stop an address from receiving tokens.',
    changes: true,
    roles: alsoFor('compliance'),
    positional: ['address'],
    examples: [`0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --reason 'Reported as stolen'`],
    input: Type.Object({ address, reason: line(500) }, closed),
    output: blockedAddress,
    run: (ctx: Ctx, input) => blockAddress(ctx, input),
  }),
  defineCommand({
    name: 'users.unblock-address',
    summary: 'Let an address receive tokens again.',
    changes: true,
    roles: alsoFor('compliance'),
    stepUp: true,
    positional: ['address'],
    examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    input: Type.Object({ address }, closed),
    output: blockedAddress,
    run: (ctx: Ctx, input) => unblockAddress(ctx, input),
  }),
  defineCommand({
    name: 'users.list-blocked-addresses',
    summary: 'List the addresses that may not receive tokens, with the reasons.',
    changes: false,
    roles: everyone,
    columns: ['address', 'blockedAt', 'reason'],
    input: Type.Object(cursorInput, closed),
    output: cursorPage(Type.Object({ address: Type.String(), reason: Type.String(), blockedAt: dateTime })),
    run: (ctx: Ctx, input) => listBlockedAddresses(ctx, input),
  }),
  defineCommand({
    name: 'users.reseal',
    summary: 'Re-encrypt document numbers and tax ids with the newest encryption key, in batches of users.',
    changes: true,
    roles: adminOnly,
    input: Type.Object(
      {
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 5_000, description: 'Users in one batch (default 1,000)' }),
        ),
      },
      closed,
    ),
    output: Type.Object({ resealed: Type.Integer(), remaining: Type.Integer(), keyVersion: Type.Integer() }),
    outlook: {
      left: 'remaining',
      done: 'Every user is encrypted with key {keyVersion}.',
      more: 'Run it again. Left with an older key: {remaining} users.',
    },
    run: (ctx: Ctx, input) => resealUsers(ctx, input),
  }),
  defineCommand({
    name: 'users.check-emails',
    summary: 'Find emails that an older release stored in another spelling, or for several users.',
    changes: false,
    roles: everyone,
    columns: emailColumns,
    parts: { input: 'cursor', output: 'nextCursor' },
    verdict: {
      passesIf: 'items',
      passed: 'Every email that was read is in its normal form.',
      failed: 'Emails that are not in their normal form: {items}. Run causeway users normalize-emails.',
    },
    input: emailPart(5_000, 'Users read in one part (default 1,000)'),
    output: Type.Object({ items: emailItems, nextCursor: nullable(Type.String()) }),
    run: (ctx: Ctx, input) => checkEmails(ctx, input),
  }),
  defineCommand({
    name: 'users.normalize-emails',
    summary: 'Bring emails of older releases into their normal form; those of several users are listed.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    columns: emailColumns,
    parts: { input: 'cursor', output: 'nextCursor' },
    verdict: {
      passesIf: 'items',
      passed: 'Every email that was read is in its normal form. Changed: {normalized}.',
      failed:
        'Changed: {normalized}. Left to decide: {items}. Give each another one with causeway users update.',
    },
    input: emailPart(500, 'Users read in one part (default 100)'),
    output: Type.Object({
      normalized: Type.Integer(),
      items: emailItems,
      nextCursor: nullable(Type.String()),
    }),
    run: (ctx: Ctx, input) => normalizeEmails(ctx, input),
  }),
];
