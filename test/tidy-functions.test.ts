import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ts } from '@ts-morph/common';

const root = path.resolve(import.meta.dirname, '..');
const linesMax = 70;

/** Functions that are longer, and why. Comments and blank lines count. */
const longOnes: Record<string, string> = {
  'src/config/config.ts readConfig': 'maps every setting once',
  'src/features/approvals/commands.ts approvalCommands': 'a table of commands',
  'src/features/keys/own/routes.ts keyRoutes': 'one short route after another',
  'src/features/ledger/statement/page-writer.ts createPageWriter': 'methods over one PDF page',
  'src/features/ledger/statement/structure.ts createStructure': 'methods over one tree of PDF tags',
  'src/features/webhooks/commands.ts webhookCommands': 'a table of commands',
  'src/features/webhooks/delivery/deliverer.ts startDeliverer': 'closures over the state of deliveries',
  'src/features/withdrawals/own/routes.ts ownWithdrawalRoutes': 'one short route after another',
  'src/features/withdrawals/uploads/routes.ts uploadRoutes': 'one short route after another',
  'src/platform/db/follow-primary.ts followPrimary': 'closures over which server is used',
  'src/platform/db/listen.ts listen': 'closures over the state of one connection',
  'src/platform/observe/metrics.ts defineFigures': 'a table of figures',
  'src/sandbox/devnet/start-node.ts startNode': 'closures over the state of one process',
  'src/sandbox/door/tour-section.ts renderTour': 'one piece of HTML',
  'src/sandbox/issuer/serve-protocol.ts routesOf': 'a table of routes',
  'src/sandbox/postgres/cluster.ts prepareCluster': 'steps in the order in which they must run',
  'src/surfaces/console/rules/rule-routes.ts ruleRoutes': 'one page after another',
  'src/surfaces/mcp/dispatch.ts createDispatch': 'the tables of methods of both protocols',
};

/** `file name` of each long function. An arrow function has the name of its variable or property. */
function longFunctions(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = lineAt(node.end) - lineAt(node.getStart(source)) + 1;
      const named = node.name ?? (node.parent as { name?: ts.Node }).name;
      if (lines > linesMax) found.push(`${file} ${named?.getText(source) ?? 'without a name'}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('a function has at most 70 lines', () => {
  const files = globSync('{src,packages/*/src,scripts}/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  assert.ok(files.length > 800, `${files.length} files`);
  const long = files.flatMap((file) => longFunctions(file, readFileSync(path.join(root, file), 'utf8')));
  assert.deepEqual(
    long.sort(),
    Object.keys(longOnes),
    'split it, or give the reason in longOnes of test/tidy-functions.test.ts',
  );
});

test('functions, methods and arrow functions are measured, nested ones too', () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const text = `function a() {${lines(71)}}
class B { c() {${lines(71)}} }
const d = () => ({ e: () => {${lines(71)}} });
function f() {${lines(70)}}`;
  const found = ['a', 'c', 'd', 'e'].map((name) => `x.ts ${name}`);
  assert.deepEqual(longFunctions('x.ts', text), found);
});
