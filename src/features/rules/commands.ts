import { Type } from 'typebox';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { addAddress, removeAddress } from './addresses/change-book.ts';
import { listAddresses } from './addresses/list-addresses.ts';
import { bookEntry } from './addresses/wire.ts';
import { draftRules } from './draft-rules.ts';
import { listRules } from './list-rules.ts';
import { ruleMakers } from './operator-name.ts';
import { publishRules } from './publish-rules.ts';
import { replayRules } from './replay-rules.ts';
import { showRules } from './show-rules.ts';
import { rule, ruleSet } from './wire.ts';

const revision = Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Of a set of rules' });

export const ruleCommands = [
  defineCommand({
    name: 'rules.show',
    summary: 'Show the published rules, or those of a revision.',
    changes: false,
    roles: everyone,
    positional: ['revision'],
    input: Type.Object({ revision: Type.Optional(revision) }, closed),
    output: Type.Object({
      set: nullable(ruleSet, { description: 'Null: no rules, every payment is allowed' }),
    }),
    run: async (ctx: Ctx, input) => ({ set: await showRules(ctx, input) }),
  }),
  defineCommand({
    name: 'rules.list',
    summary: 'List drafts and published sets of rules, newest first.',
    changes: false,
    roles: everyone,
    columns: ['revision', 'status', 'draftedBy', 'draftedAt', 'publishedBy', 'publishedAt'],
    input: Type.Object(cursorInput, closed),
    output: cursorPage(ruleSet),
    run: (ctx: Ctx, input) => listRules(ctx, input),
  }),
  defineCommand({
    name: 'rules.draft',
    summary: 'Draft a set of rules. It applies once somebody else publishes it.',
    changes: true,
    roles: ruleMakers,
    examples: [`--rules '[{"name":"Small ones","verdict":"allow","amount":{"upTo":"1000"}}]'`],
    // 200 rules, some of them with many ids.
    bodyBytesMax: 1_000_000,
    input: Type.Object(
      { rules: Type.Array(rule, { maxItems: 200, description: 'In their order; empty means: no rules' }) },
      closed,
    ),
    output: ruleSet,
    run: (ctx: Ctx, input) => draftRules(ctx, input),
  }),
  defineCommand({
    name: 'rules.replay',
    summary: 'Show what a set of rules would have said about the withdrawals of the last 30 days.',
    changes: false,
    needsPrimary: true,
    roles: everyone,
    positional: ['revision'],
    examples: ['2'],
    input: Type.Object({ revision }, closed),
    output: Type.Object({
      revision: Type.Integer(),
      since: dateTime,
      withdrawals: Type.Integer(),
      isCut: Type.Boolean({ description: 'There were more; these are the newest' }),
      verdicts: Type.Array(
        Type.Object({
          verdict: Type.Enum(['allow', 'deny', 'approve']),
          rule: nullable(Type.String(), { description: 'Null: allowed, or denied because no rule matched' }),
          count: Type.Integer(),
          withdrawalIds: Type.Array(uuid, { description: 'Up to 20, newest first' }),
        }),
      ),
    }),
    run: (ctx: Ctx, input) => replayRules(ctx, input),
  }),
  defineCommand({
    name: 'rules.publish',
    summary: 'Publish a draft of somebody else: it applies to every payment that is not signed yet.',
    changes: true,
    roles: ruleMakers,
    stepUp: true,
    positional: ['revision'],
    examples: ['2'],
    input: Type.Object({ revision }, closed),
    output: ruleSet,
    run: (ctx: Ctx, input) => publishRules(ctx, input),
  }),
  defineCommand({
    name: 'addresses.add',
    summary: 'Add an address to the address book, for one partner or for all.',
    changes: true,
    roles: alsoFor('compliance'),
    stepUp: true,
    positional: ['address'],
    examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --name 'Exchange' --network polygon"],
    input: Type.Object(
      {
        address: Type.String({ maxLength: 42, description: '0x and 40 hex digits' }),
        name: line(100),
        partnerId: Type.Optional(uuid),
        network: Type.Optional(
          Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Only on this network; default: on all' }),
        ),
      },
      closed,
    ),
    output: bookEntry,
    run: (ctx: Ctx, input) => addAddress(ctx, input),
  }),
  defineCommand({
    name: 'addresses.remove',
    summary: 'Remove an entry from the address book.',
    changes: true,
    roles: alsoFor('compliance'),
    positional: ['id'],
    examples: ['0198a6a0-0000-7000-8000-000000000001'],
    input: Type.Object({ id: uuid }, closed),
    output: bookEntry,
    run: (ctx: Ctx, input) => removeAddress(ctx, input),
  }),
  defineCommand({
    name: 'addresses.list',
    summary: 'List the address book, oldest entry first.',
    changes: false,
    roles: everyone,
    columns: ['name', 'address', 'network', 'partnerId', 'addedBy', 'addedAt'],
    input: Type.Object({ partnerId: Type.Optional(uuid), ...cursorInput }, closed),
    output: cursorPage(bookEntry),
    run: (ctx: Ctx, input) => listAddresses(ctx, input),
  }),
];
