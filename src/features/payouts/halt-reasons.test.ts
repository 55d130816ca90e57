import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { haltReasons, stuckTroubles } from './halt-reasons.ts';
import { shortfallReason } from './queries/signers.ts';

const address = `0x${'ab'.repeat(20)}`;
const hash = `0x${'cd'.repeat(32)}`;
const payout = { nonce: 7n, withdrawalId: '0198c5a4-0000-7000-8000-000000000000', status: 'completed' };
const stuck = (what: string) => haltReasons.stuck({ what, minutes: 30, todo: 'Look' });

/** What each reason says, by its name. */
const reasons: Record<keyof typeof haltReasons | keyof typeof stuckTroubles | 'shortfall', string> = {
  unknownTransactions: haltReasons.unknownTransactions(2, 1n),
  serverChanged: haltReasons.serverChanged('1/A', '1/B'),
  rebound: haltReasons.rebound('production', 'staging'),
  bytesChanged: haltReasons.bytesChanged(hash),
  takenBeforeSent: haltReasons.takenBeforeSent(7n),
  taken: haltReasons.taken(7n),
  movedOther: haltReasons.movedOther(payout, hash),
  gone: haltReasons.gone({ network: 'polygon', address }, 1, payout, 7),
  takenAgain: haltReasons.takenAgain(payout),
  changed: haltReasons.changed(payout),
  lostElsewhere: haltReasons.lostElsewhere(address),
  filling: haltReasons.filling(400),
  unknownPayments: haltReasons.unknownPayments(2),
  stuck: stuck(stuckTroubles.unmined('nonce 7', '')),
  contradicted: stuck(stuckTroubles.contradicted('polygon', 'nonce 7', 'node 1 has it')),
  unmined: stuck(stuckTroubles.unmined('nonce 7', ', and only node 1 counts it as mined')),
  gap: stuck(stuckTroubles.gap('nonce 7', 6)),
  shortfall: `${shortfallReason}5 USDC`,
};

interface Row {
  /** Its words of the reason, `…` for what varies. */
  words: string;
  todo: string;
}

/** The table of "When a wallet halts". */
function readRows(): Row[] {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
  const [, section] = text.split('### When a wallet halts\n');
  const lines = section!.split('\n## ')[0]!.split('\n');
  return lines.flatMap((line) => {
    const [, words, todo] = /^\| `([^`]+)` \| .* \| ([^|]+) \|$/.exec(line) ?? [];
    return words ? [{ words, todo: todo! }] : [];
  });
}

const matches = (reason: string, { words }: Row): boolean => {
  const parts = words.split('…').map((part) => part.trim().replace(/[.*+?^$\{\}\(\)\[\]\|\\]/gv, '\\$&'));
  return new RegExp(`^${parts.join('.*')}`, 'v').test(reason);
};

test('docs/operating.md has one row for every reason to halt, with what to do, and no other row', () => {
  const rows = readRows();
  const found = Object.entries(reasons).map(
    ([name, reason]) => [name, rows.filter((row) => matches(reason, row)).length] as const,
  );
  assert.deepEqual(
    found.filter(([, count]) => count !== 1),
    [],
  );
  const idle = rows.filter((row) => !Object.values(reasons).some((reason) => matches(reason, row)));
  assert.deepEqual(idle, []);
  for (const { words, todo } of rows)
    assert.match(todo, /wallets (?:resume|recover)|\]\(#|see "|as above/, words);
});

test('no other file of payouts words a reason to halt', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'halt-reasons.ts',
  );
  const worded = /(?:haltLane|haltOnce)\(\s*ctx,\s*lane,\s*['`]|\b(?:haltedR|r)eason(?::| =)\s*['`]/v;
  assert.deepEqual(
    files.filter((file) => worded.test(readFileSync(path.join(folder, file), 'utf8'))),
    [],
  );
});
