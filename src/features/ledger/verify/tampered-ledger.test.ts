import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { assertSound, useVerifiedLedger } from '#test/models/verified-ledger';
import { verifyLedger } from './verify-ledger.ts';

const { ctx, verify, postLedger, listOf, behindTheBack, putBack } = useVerifiedLedger();

let ana = '';
let completedId = '';
let posted: Promise<void> | undefined;
beforeEach(() => {
  posted ??= post();
  return posted;
});

async function post(): Promise<void> {
  ({ ana, completedId } = await postLedger());
}

const line = (number: number) => `list_id = ${listOf(true)} and number = ${number}`;
const account = () =>
  `(select id from ledger_accounts where user_id = '${ana}' and network = 'polygon' and currency = 'USDC')`;
const last = () => `(select last_number from ledger_lists where id = ${listOf(true)})`;
const node = (isSettled: boolean, level = 0) =>
  `(list_id, level, first_at, first_number) = (select list_id, level, first_at, first_number from ledger_nodes
     where list_id = ${listOf(isSettled)} and level = ${level} order by first_at, first_number offset 1 limit 1)`;
const aPosting = () => `(select min(posting_id) from ledger_lines where ${line(1_500)})`;

/** What is changed behind the back, and what must be said of it: a subject, and words of the message. */
const tamperings: Record<string, { does: () => string[]; says: [subject: RegExp, message: RegExp][] }> = {
  'the amount of a line': {
    does: () => [
      `update ledger_lines set received_amount = received_amount + 1, sent_amount = sent_amount + 1 where ${line(700)}`,
    ],
    says: [
      [/^line 700$/, /^Its hash should be [0-9a-f]{64} and is [0-9a-f]{64}/],
      [/^line 700$/, /^It should move account \d+ by -?\d+, and the movement is -?\d+\.$/],
      [/^account \d+, [A-Z]+ on [a-z]+$/, /^Its movement by line 700 .* should be -?\d+ and is -?\d+\.$/],
    ],
  },
  'the description of a line': {
    does: () => [`update ledger_lines set description = description || '.' where ${line(701)}`],
    says: [[/^line 701$/, /^Its hash should be /]],
  },
  'the words of a user about a line': {
    does: () => [`update ledger_lines set user_description = 'another' where ${line(702)}`],
    says: [[/^line 702$/, /^Its hash should be /]],
  },
  'the date of a line': {
    does: () => [
      `update ledger_lines set transaction_at = transaction_at + interval '1 microsecond' where ${line(703)}`,
    ],
    says: [
      [/^line 703$/, /^Its hash should be /],
      [/^line 703$/, /there is no such movement/],
      [/^account /, /^Its movement by line 703 .* should not be there/],
    ],
  },
  'the date of a line with its movements': {
    does: () => [
      `update ledger_movements set transaction_at = transaction_at - interval '2 days' where number = 1900
         and account_id in (select id from ledger_accounts where user_id = '${ana}')`,
      `update ledger_lines set transaction_at = transaction_at - interval '2 days' where ${line(1_900)}`,
    ],
    says: [[/^line 1900$/, /^Its hash should be /]],
  },
  'the type of a line': {
    does: () => [
      `update ledger_lines set type = case when type = 'buy' then 'transfer-token' else 'buy' end::ledger_line_type where ${line(704)}`,
    ],
    says: [
      [/^line 704$/, /^Its hash should be /],
      [/^ledger$/, /^The count of buys should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0 from .* \(\d+\)$/, /^Its count of buys should be \d+ and is \d+\.$/],
    ],
  },
  'the posting of a line': {
    does: () => [`update ledger_lines set posting_id = 999999 where ${line(705)}`],
    says: [
      [/^line 705$/, /^Its hash should be /],
      [/^line 705$/, /^It belongs to posting 999999, which is not there\.$/],
    ],
  },
  'the account of a line': {
    does: () => [
      `update ledger_lines set received_account_id = (select min(id) from ledger_accounts where house is not null), received_amount = 5
       where ${line(706)}`,
    ],
    says: [[/^line 706$/, /^It moves account \d+, which is not one of this user\.$/]],
  },
  'a line is gone': {
    does: () => [`delete from ledger_lines where ${line(800)}`],
    says: [
      [/^line 801$/, /^Line 800 should come after 799, and 801 does\.$/],
      [/^line 801$/, /^Its hash should be /],
      [/^ledger$/, /^The count of [a-z]+ should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0/, /^Its number of lines should be \d+ and is \d+\.$/],
      [/^account /, /^Its movement by line 800 .* should not be there and is -?\d+\.$/],
    ],
  },
  'the first line is gone': {
    does: () => [`delete from ledger_lines where ${line(1)}`],
    says: [[/^line 2$/, /^Line 1 should come after 0, and 2 does\.$/]],
  },
  'the last line is gone': {
    does: () => [`delete from ledger_lines where list_id = ${listOf(true)} and number = ${last()}`],
    says: [
      [/^ledger$/, /^The number of the last line should be \d+ and is \d+\.$/],
      [/^ledger$/, /^The hash of the last line should be [0-9a-f]{64} and is [0-9a-f]{64}\.$/],
      [/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/],
    ],
  },
  'the last line is gone and the head agrees': {
    does: () => [
      `delete from ledger_lines where list_id = ${listOf(true)} and number = ${last()}`,
      `update ledger_lists h set last_number = h.last_number - 1, last_hash = l.hash from ledger_lines l
       where h.id = ${listOf(true)} and l.list_id = h.id and l.number = h.last_number - 1`,
    ],
    says: [
      [/^ledger$/, /^The count of sells should be \d+ and is \d+\.$/],
      [/^account /, /^Its movement by line \d+ .* should not be there/],
      [/^withdrawal /, /it has no line there/],
    ],
  },
  'a line that nobody posted': {
    does: () => [
      `insert into ledger_lines select list_id, 0, type, transaction_at, posting_id, operation_id, 'another', sent_account_id,
         sent_amount, received_account_id, received_amount, status, description, purpose, user_description, executed_at, hash
       from ledger_lines where ${line(900)}`,
    ],
    says: [[/^line 0$/, /^Line 1 should come after 0, and 0 does\.$/]],
  },
  'two hashes change places': {
    does: () => [
      `update ledger_lines l set hash = o.hash from ledger_lines o where l.list_id = ${listOf(true)} and o.list_id = l.list_id
         and (l.number, o.number) in ((1000, 1001), (1001, 1000))`,
    ],
    says: [
      [/^line 1000$/, /^Its hash should be /],
      [/^line 1001$/, /^Its hash should be /],
    ],
  },
  'a chain that was recomputed from a changed line to the end, but not to the head': {
    does: () => [
      `update ledger_lines set description = 'forged' where list_id = ${listOf(true)} and number = ${last()}`,
      `update ledger_lines l set hash = ledger_line_hash(p.hash, l) from ledger_lines p
       where l.list_id = ${listOf(true)} and l.number = ${last()} and p.list_id = l.list_id and p.number = l.number - 1`,
    ],
    says: [[/^ledger$/, /^The hash of the last line should be /]],
  },
  'the count of a node': {
    does: () => [`update ledger_nodes set sells = sells + 1, buys = buys - 1 where ${node(true)}`],
    says: [
      [/^ledger, node of level 0 from /, /^Its count of sells should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0 from /, /^Its count of buys should be \d+ and is \d+\.$/],
    ],
  },
  'the size of a node': {
    does: () => [`update ledger_nodes set size = size + 1 where ${node(true)}`],
    says: [[/^ledger, node of level 0 from /, /^Its number of lines should be \d+ and is \d+\.$/]],
  },
  'where a node ends': {
    does: () => [
      `update ledger_nodes set upto_number = upto_number + 1, upto_at = upto_at + interval '1 hour' where ${node(true)}`,
    ],
    says: [
      [
        /^ledger, node of level 0 from /,
        /^Its beginning, where the node before it ends, should be .* and is /,
      ],
    ],
  },
  'a node is gone': {
    does: () => [`delete from ledger_nodes where ${node(true)}`],
    says: [
      [
        /^ledger, node of level 0 from /,
        /^Its beginning, where the node before it ends, should be .* and is /,
      ],
      [
        /^ledger, node of level 0 from /,
        /^Account \d+ has a sum of -?\d+ in it, and there is no such node\.$/,
      ],
    ],
  },
  'a node above others that are too few': {
    does: () => [
      `insert into ledger_nodes select list_id, 1, first_at, first_number, upto_at, upto_number, 1, buys, sells, swaps, transfers
      from ledger_nodes where ${node(true)}`,
    ],
    says: [
      [/^ledger, node of level 1 from /, /^Its beginning/],
      [/^ledger, node of level 1 from /, /^Its sum of account \d+ should be -?\d+ and is null\.$/],
    ],
  },
  'a node of an unknown level': {
    does: () => [`update ledger_nodes set level = 3 where ${node(true)}`],
    says: [[/^ledger$/, /^There should be no nodes of level 3, and there are 1\.$/]],
  },
  'a sum': {
    does: () => [
      `update ledger_sums set amount = amount + 1 where account_id = ${account()} and level = 0 and first_at = '-infinity'`,
    ],
    says: [
      [
        /^ledger, node of level 0 from -infinity \(0\)$/,
        /^Its sum of account \d+ should be -?\d+ and is -?\d+\.$/,
      ],
    ],
  },
  'a sum is gone': {
    does: () => [
      `delete from ledger_sums where account_id = ${account()} and level = 0 and first_at = '-infinity'`,
    ],
    says: [
      [
        /^ledger, node of level 0 from -infinity \(0\)$/,
        /^Its sum of account \d+ should be -?\d+ and is null\.$/,
      ],
    ],
  },
  'a sum of no node': {
    does: () => [`insert into ledger_sums values (${account()}, 1, '2026-01-01T00:00Z', 7, 0)`],
    says: [
      [
        /^ledger, node of level 1 from 2026-01-01 .* \(7\)$/,
        /has a sum of 0 in it, and there is no such node/,
      ],
    ],
  },
  'the stored kinds of a node’s lines': {
    does: () => [
      `select ledger_kinds_fill(${listOf(true)}, 100000)`,
      `update ledger_kinds set kinds[1].lines = (kinds[1]).lines + 1 where ${node(true)}`,
    ],
    says: [[/^ledger, node of level 0 from /, /^Its stored kinds of lines are not those of its lines\.$/]],
  },
  'stored kinds of no node': {
    does: () => [
      `insert into ledger_kinds values (${listOf(true)}, 1, '2026-01-01T00:00Z', 7, '2026-01-01T00:01Z', 7, '{}')`,
    ],
    says: [[/^ledger, node of level 1 from 2026-01-01 .* \(7\)$/, /^Kinds of lines .* belong to no node\.$/]],
  },
  'a movement': {
    does: () => [
      `update ledger_movements set amount = amount - 1 where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [
      [/^line \d+$/, /^It should move account \d+ by -?\d+, and the movement is -?\d+\.$/],
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be \d+ and is \d+\.$/,
      ],
      [/^ledger, node of level 0 from /, /^Its sum of account /],
    ],
  },
  'a movement that is no number': {
    does: () => [
      `update ledger_movements set amount = 'NaN' where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be NaN and is \d+\.$/,
      ],
    ],
  },
  'a movement is gone': {
    does: () => [
      `delete from ledger_movements where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [[/^line \d+$/, /there is no such movement/]],
  },
  'a movement that no line made': {
    does: () => [`insert into ledger_movements values (${account()}, '2026-01-01T05:00Z', 99999, 0)`],
    says: [
      [/^account \d+, USDC on polygon$/, /^Its movement by line 99999 of .* should not be there and is 0\.$/],
    ],
  },
  'a balance': {
    does: () => [`update ledger_accounts set balance = balance + 1 where id = ${account()}`],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be \d+ and is \d+\.$/,
      ],
    ],
  },
  'what is held': {
    does: () => [
      'alter table ledger_accounts drop constraint ledger_accounts_funds',
      `update ledger_accounts set held = -1 where id = ${account()}`,
    ],
    says: [[/^account \d+, USDC on polygon$/, /^What is held should be from 0 to \d+ and is -1\.$/]],
  },
  'what is held for no withdrawal': {
    does: () => [`update ledger_accounts set held = 500 where id = ${account()}`],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^What is held, the sum of its open withdrawals, should be 0 and is 500\.$/,
      ],
    ],
  },
  'an account is gone': {
    does: () => [`delete from ledger_accounts where id = ${account()}`],
    says: [[/^line \d+$/, /^It moves account \d+, which is not one of this user\.$/]],
  },
  'a posting is gone': {
    does: () => [`delete from ledger_postings where id = ${aPosting()}`],
    says: [[/^line \d+$/, /^It belongs to posting \d+, which is not there\.$/]],
  },
  'a counter of the list': {
    does: () => [`update ledger_lists set swaps = swaps + 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The count of swaps should be \d+ and is \d+\.$/]],
  },
  'the last number of the list': {
    does: () => [`update ledger_lists set last_number = last_number + 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The number of the last line should be \d+ and is \d+\.$/]],
  },
  'the tail': {
    does: () => [`update ledger_lists set tail_at = tail_at + interval '1 hour' where id = ${listOf(true)}`],
    says: [
      [/^ledger$/, /^The beginning of the tail should be .* and is /],
      [/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/],
    ],
  },
  'the size of the tail': {
    does: () => [`update ledger_lists set tail_size = tail_size - 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/]],
  },
  'the list is gone': {
    does: () => [`delete from ledger_lists where id = ${listOf(true)}`],
    says: [[/^account /, /^Its movement by line \d+ .* should not be there/]],
  },
  'an unsettled record is gone': {
    does: () => [
      `delete from ledger_unsettled where list_id = ${listOf(false)} and operation_id = 'unsettled 0'`,
    ],
    says: [
      [/^unsettled records$/, /^The count of buys should be 5 and is 6\.$/],
      [
        /^unsettled records, node of level 0 from -infinity \(0\)$/,
        /^Its number of lines should be \d+ and is \d+\.$/,
      ],
    ],
  },
  'an unsettled record more': {
    does: () => [
      `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, status, network, description, purpose, updated_at)
       values (${listOf(false)}, 5000, '2027-01-01', 'buy', 'added', 'pending', 'polygon', 'Added', 'deposit', now())`,
    ],
    says: [
      [/^unsettled records$/, /^The count of buys should be 7 and is 6\.$/],
      [/^unsettled records$/, /^The size of the tail should be \d+ and is \d+\.$/],
      [/^unsettled record added$/, /^Its number should be from 1 to \d+ and is 5000\.$/],
    ],
  },
  'an unsettled record that is in the ledger': {
    does: () => [
      `update ledger_unsettled set operation_id = 'unsettled 1' where list_id = ${listOf(false)} and operation_id = 'unsettled 0'`,
    ],
    says: [[/^unsettled record unsettled 1$/, /^It should be in one set, and is in the ledger as well\.$/]],
  },
  'a withdrawal without its unsettled record': {
    does: () => [
      `delete from ledger_unsettled where withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^withdrawal [0-9a-f-]{36}$/,
        /^It is queued and should be among its user’s unsettled records, and it is not there\.$/,
      ],
      [/^unsettled records$/, /^The count of sells should be 899 and is 900\.$/],
    ],
  },
  'a withdrawal in another list': {
    does: () => [
      `update ledger_unsettled set list_id = -1 where withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^withdrawal /,
        /^It is queued and should be among its user’s unsettled records, and it is not there\.$/,
      ],
    ],
  },
  'an unsettled record of a completed withdrawal': {
    does: () => [
      `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
       values (${listOf(false)}, 1, '2026-01-01', 'sell', '${completedId}', '${completedId}')`,
    ],
    says: [
      [/^withdrawal /, /^It is completed and should not be unsettled, and there is a record of it\.$/],
      [/^unsettled record /, /^It should be in one set, and is in the ledger as well\.$/],
      [/^unsettled records$/, /^The count of sells should be 901 and is 900\.$/],
    ],
  },
  'an unsettled record of nobody’s withdrawal': {
    does: () => [
      `update ledger_unsettled set withdrawal_id = '0198a0de-ffff-7000-8000-000000000000' where list_id = ${listOf(false)}
         and withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^unsettled record /,
        /^It names withdrawal 0198a0de-ffff-7000-8000-000000000000, which is not this user’s/,
      ],
    ],
  },
  'a counter of the unsettled records': {
    does: () => [`update ledger_lists set sells = sells - 1 where id = ${listOf(false)}`],
    says: [[/^unsettled records$/, /^The count of sells should be 900 and is 899\.$/]],
  },
  'the tail of the unsettled records': {
    does: () => [`update ledger_lists set tail_number = tail_number + 1 where id = ${listOf(false)}`],
    says: [[/^unsettled records$/, /^The beginning of the tail should be /]],
  },
  'a node of the unsettled records': {
    does: () => [`update ledger_nodes set sells = sells + 1 where ${node(false)}`],
    says: [[/^unsettled records, node of level 0 from /, /^Its count of sells should be \d+ and is \d+\.$/]],
  },
};

for (const [name, { does, says }] of Object.entries(tamperings)) {
  test(`changed behind its back: ${name}`, async () => {
    try {
      await behindTheBack(...does());
      const verdict = await verify(ana);
      assert.equal(verdict.isSound, false);
      assert.equal(verdict.faultCount >= verdict.faults.length && verdict.faults.length <= 200, true);
      assert.ok(verdict.faults.every(({ userId }) => userId === ana));
      for (const [subject, message] of says) {
        const isSaid = verdict.faults.some(
          (fault) => subject.test(fault.subject) && message.test(fault.message),
        );
        assert.ok(isSaid, `${subject} ${message} in ${JSON.stringify(verdict.faults.slice(0, 20), null, 1)}`);
      }
    } finally {
      await putBack(does());
    }
    assertSound(await verify(ana));
  });
}

/** Found among all postings, on the first page. */
const ofAll: Record<string, { does: () => string[]; says: RegExp }> = {
  'a posting without lines': {
    does: () => [
      `insert into ledger_postings (kind, operation_id, description, posted_at, list_id, line_number, line_count)
       values ('fund', 'x', 'x', now(), ${listOf(true)}, 999999, 1)`,
    ],
    says: /^posting \d+: A line of it should be there and is not\.$/,
  },
  'a posting that has another’s line': {
    does: () => [
      `update ledger_postings p set list_id = o.list_id, line_number = o.line_number from ledger_postings o
       where p.id = ${aPosting()} and o.id = (select max(id) from ledger_postings)`,
    ],
    says: /^posting \d+: A line of it should be there and is not\.$/,
  },
};

for (const [name, { does, says }] of Object.entries(ofAll)) {
  test(`changed behind its back, of all postings: ${name}`, async () => {
    try {
      await behindTheBack(...does());
      const { faults } = await verifyLedger(ctx(), { limit: 1 });
      const ofNobody = faults.filter(({ userId }) => userId === null);
      assert.ok(
        ofNobody.some(({ subject, message }) => says.test(`${subject}: ${message}`)),
        JSON.stringify(faults.slice(0, 20), null, 1),
      );
    } finally {
      await putBack(does());
    }
    assertSound(await verifyLedger(ctx(), { limit: 1 }));
  });
}
