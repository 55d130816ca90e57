import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { heights, planPages, sheet } from './plan-pages.ts';

test('every row stands on a page, none below its end, the lines begin once, after the balances', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(2_000), fc.nat(60), (balances, lines, closingHeight) => {
      const pages = planPages({ balances, lines, hasAddress: false, closingHeight });
      const sum = (of: 'balances' | 'lines') => pages.reduce((total, page) => total + page[of], 0);
      assert.deepEqual([sum('balances'), sum('lines')], [balances, lines]);
      const start = pages.findIndex(({ startsLines }) => startsLines);
      assert.equal(pages.filter(({ startsLines }) => startsLines).length, 1);
      const closing = pages.findIndex(({ hasClosing }) => hasClosing);
      assert.equal(pages.filter(({ hasClosing }) => hasClosing).length, 1);
      assert.ok(closing <= start && pages.findLastIndex((page) => page.balances > 0) <= closing);
      for (const [at, page] of pages.entries()) {
        if (at < start) assert.equal(page.lines, 0);
        if (at > start) assert.equal(page.balances, 0);
        if (at > start) assert.ok(page.lines > 0, 'a page without rows');
        let y = heights.top + (at === 0 ? heights.opening : heights.running);
        if (page.balances > 0) y += heights.tableHead + page.balances * heights.balance;
        if (at === 0) y += heights.section;
        if (page.hasClosing) y += closingHeight;
        if (page.startsLines) y += heights.section;
        if (page.lines > 0) y += heights.tableHead + page.lines * heights.line;
        const bottom = heights.bottom + (at === 0 ? heights.check : 0);
        assert.ok(y <= sheet.height - bottom, `page ${at} ends at ${y}`);
      }
    }),
  );
});

test('one line more than a page holds begins another', () => {
  const [first] = planPages({ balances: 1, lines: 1_000, hasAddress: false, closingHeight: 0 });
  const full = first!.lines;
  assert.ok(full > 12);
  assert.equal(planPages({ balances: 1, lines: full, hasAddress: false, closingHeight: 0 }).length, 1);
  assert.equal(planPages({ balances: 1, lines: full + 1, hasAddress: false, closingHeight: 0 }).length, 2);
});
