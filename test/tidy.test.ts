import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { settings } from '../src/settings.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Who may import whom, by folder of `src/` (or file, for those at its top). A new arrow is a decision: make it here. */
const arrows: Record<string, string[]> = {
  cli: ['app', 'command-line', 'commands.json', 'config', 'main', 'platform', 'sandbox', 'settings'],
  'command-line': ['platform'],
  sandbox: [
    ...['cards', 'config', 'consents', 'context', 'evm', 'integrations', 'issuer', 'keys', 'ledger', 'main'],
    ...['partners', 'platform', 'portfolio', 'sessions', 'settings', 'users'],
  ],
  main: ['app', 'config', 'context', 'evm', 'issuer', 'platform', 'prices', 'screening'],
  app: [
    ...[
      'audit',
      'cards',
      'consents',
      'context',
      'deposits',
      'history',
      'integrations',
      'keys',
      'ledger',
      'mcp',
      'operator',
      'partners',
      'payouts',
      'platform',
      'portfolio',
    ],
    ...['sessions', 'treasury', 'users', 'withdrawals'],
  ],
  operator: ['context', 'platform'],
  history: ['context', 'keys', 'platform'],
  mcp: ['context', 'keys', 'platform'],
  withdrawals: [
    'audit',
    'config',
    'context',
    'evm',
    'keys',
    'ledger',
    'partners',
    'payouts',
    'platform',
    'users',
  ],
  cards: ['audit', 'context', 'evm', 'issuer', 'platform', 'users', 'withdrawals'],
  deposits: ['audit', 'context', 'evm', 'ledger', 'payouts', 'platform', 'users'],
  treasury: ['audit', 'context', 'deposits', 'evm', 'ledger', 'payouts', 'platform'],
  portfolio: ['audit', 'context', 'ledger', 'platform', 'prices', 'users'],
  payouts: ['audit', 'context', 'evm', 'ledger', 'platform', 'users'],
  consents: ['audit', 'context', 'evm', 'integrations', 'platform', 'sessions', 'users'],
  integrations: ['audit', 'context', 'platform'],
  keys: ['audit', 'context', 'partners', 'platform', 'users'],
  ledger: ['audit', 'context', 'evm', 'platform', 'users'],
  partners: ['audit', 'context', 'platform', 'users'],
  sessions: ['audit', 'context', 'platform', 'users'],
  users: ['audit', 'context', 'evm', 'platform'],
  audit: ['context', 'platform'],
  config: ['evm', 'issuer', 'platform', 'settings'],
  settings: ['platform'],
  context: ['evm', 'issuer', 'platform', 'prices', 'screening'],
  issuer: ['platform'],
  prices: ['platform'],
  screening: [],
  evm: [],
  platform: [],
};

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
const placeOf = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '');

const imports = sources.flatMap((file) =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to]) => ({
    file,
    target: path.join(path.dirname(file), to!),
  })),
);

test('imports follow the arrows of ARCHITECTURE.md', () => {
  const wrong = imports
    .filter(({ file, target }) => placeOf(file) !== placeOf(target))
    .filter(({ file, target }) => !arrows[placeOf(file)]?.includes(placeOf(target)))
    .map(({ file, target }) => `${file} → ${target}`);
  assert.deepEqual(
    wrong,
    [],
    'move the code, or add the arrow to the table in test/tidy.test.ts and say why in ARCHITECTURE.md',
  );
});

test('the table of layers in ARCHITECTURE.md is that of the arrows', () => {
  const features = read('src/app.ts').matchAll(/from '\.\/(\w+)\//g);
  const everywhere = ['audit', 'context', 'platform'];
  const places = new Set([...features].map(([, place]) => place!).filter((one) => !everywhere.includes(one)));
  const wanted = [...places]
    .map((place) => [place, (arrows[place] ?? []).filter((to) => places.has(to)).join(' ')])
    .filter(([, targets]) => targets);
  const rows = read('ARCHITECTURE.md').matchAll(/^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$/gm);
  const found = [...rows].map(([, place, targets]) => [
    place!,
    targets!.replaceAll('`', '').replaceAll(',', ''),
  ]);
  assert.deepEqual(found.sort(), wanted.sort(), 'change the table under "Layers" in ARCHITECTURE.md');
});

test('the arrows form no cycle', () => {
  const visiting: string[] = [];
  const visit = (place: string) => {
    assert.ok(!visiting.includes(place), `cycle: ${[...visiting, place].join(' → ')}`);
    visiting.push(place);
    for (const next of arrows[place] ?? []) visit(next);
    visiting.pop();
  };
  for (const place of Object.keys(arrows)) visit(place);
  const unused = Object.entries(arrows).flatMap(([from, targets]) =>
    targets
      .filter((to) => !imports.some(({ file, target }) => placeOf(file) === from && placeOf(target) === to))
      .map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(unused, [], 'an arrow that nothing uses any more: take it out of the table');
});

test('a folder is entered through its index.ts', () => {
  const wrong = imports
    .filter(({ file, target }) => placeOf(file) !== placeOf(target) && placeOf(target) !== 'platform')
    .filter(({ target }) => target.split('/').length > 2 && path.basename(target) !== 'index.ts')
    .map(({ file, target }) => `${file} → ${target}`);
  assert.deepEqual(wrong, [], 'export it from that folder’s index.ts and import it from there');
});

test('the CLI starts without packages: what is heavy is imported where it is used', () => {
  const loaded = new Set<string>();
  const packages: string[] = [];
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, to] of read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
      if (to!.startsWith('.')) load(path.join(path.dirname(file), to!));
      else if (!to!.startsWith('node:')) packages.push(`${file} → ${to}`);
    }
  };
  load('src/cli.ts');
  assert.ok(loaded.size > 5);
  assert.deepEqual(packages, [], '`causeway --help` must stay under 0.5 s of CPU');
});

test('only evm/ knows viem', () => {
  const wrong = sources.filter((file) => placeOf(file) !== 'evm' && /from 'viem/.test(read(file)));
  assert.deepEqual(wrong, []);
});

test('the product imports no development package, and optional packages only when it needs them', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const statically = sources.flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^.][^']*)'/gm)].map(([, name]) => ({
      file,
      name: packageOf(name!),
    })),
  );
  const wrong = statically
    .filter(({ name }) => !name.startsWith('node:') && !(name in dependencies))
    .map(({ file, name }) => `${file} → ${name}`);
  assert.deepEqual(
    wrong,
    [],
    'a server is installed without these: use await import, or move the dependency',
  );
  for (const name of Object.keys(optionalDependencies)) assert.ok(!(name in dependencies), name);
});

test('SQL of a feature stands in its queries.ts', () => {
  const statement = /['"`]\s*(?:select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s)/i;
  const wrong = sources
    .filter(
      (file) => !['platform', 'sandbox'].includes(placeOf(file)) && path.basename(file) !== 'queries.ts',
    )
    .filter((file) => statement.test(read(file)));
  assert.deepEqual(wrong, [], 'give the statement a name in queries.ts');
});

test('files have kebab-case names that say what is inside', () => {
  const wrong = sources.filter((file) => {
    const name = path.basename(file, '.ts');
    return (
      !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || /^(utils?|helpers?|common|misc|manager|service)$/.test(name)
    );
  });
  assert.deepEqual(wrong, [], 'a function without a home wants a home with a name');
});

test('no test is skipped or run alone', () => {
  const skipping = /\b(?:test|it|describe|t|context)\.(?:skip|only|todo)\b|\bskip: |\bonly: true/;
  const files = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root });
  const wrong = files.filter((file) => file !== 'test/tidy.test.ts' && skipping.test(read(file)));
  // Its browserTest skips where no browser is installed, and never in CI.
  assert.deepEqual(wrong, ['test/browser.ts']);
  assert.match(read('.ci/run'), /^export CAUSEWAY_REQUIRE_BROWSER=1$/m);
});

test('.env.example and README.md name the settings of settings.ts', () => {
  const names = Object.keys(settings);
  const inExample = [...read('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name);
  assert.deepEqual(inExample, names, 'list every setting of src/settings.ts, in its order, in .env.example');
  const inReadme = [...read('README.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(
    inReadme,
    names,
    'list every setting of src/settings.ts, in its order, in the table of README.md',
  );
});

const documents = globSync(['*.md', '{docs,src,test}/**/*.md'], { cwd: root });

test('every path named in a *.md exists', () => {
  const named = documents.flatMap((document) =>
    [
      ...read(document).matchAll(
        /(?:`|\()((?:src|test|bench|docs|database|bin|scripts|\.ci)\/[\w./-]*|[A-Z]+\.md)(?:`|\))/g,
      ),
    ].map(([, to]) => ({ document, to: to! })),
  );
  assert.ok(named.length > 20);
  const wrong = named
    .filter(
      ({ document, to }) =>
        !existsSync(path.join(root, to)) && !existsSync(path.join(root, path.dirname(document), to)),
    )
    .map(({ document, to }) => `${document}: ${to}`);
  assert.deepEqual(wrong, [], 'fix the path or the sentence');
});

test('every link of a *.md leads to a file, and to one of its headings', () => {
  const slugOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-');
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s:#]*)(?:#([^)\s]+))?\)/g)].map(([, to, anchor]) => ({
      document,
      file: to ? path.join(path.dirname(document), to) : document,
      anchor,
    })),
  );
  assert.ok(links.length > 20);
  const wrong = links.filter(({ file, anchor }) => {
    if (!existsSync(path.join(root, file))) return true;
    const headings = anchor ? [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, one]) => slugOf(one!)) : [];
    return anchor !== undefined && !headings.includes(anchor);
  });
  assert.deepEqual(wrong, []);
});

test('documents have lines of at most 110 columns and plain words', () => {
  const unplain = /\b(?:whoever|anew|by (?:itself|themselves)|of (?:its|their) own|mended)\b/i;
  const wrong = documents
    .filter((document) => !['docs/contract.md', 'CHANGELOG.md'].includes(document))
    .flatMap((document) =>
      read(document)
        .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
        .split('\n')
        .map((line, at) => ({ place: `${document}:${at + 1}`, line }))
        .filter(({ line }) => (line.length > 110 && !/^ *\|/.test(line)) || unplain.test(line)),
    );
  assert.deepEqual(wrong, []);
});

test('a row of docs/decisions/ has one sentence for the choice and one for the reason', () => {
  const files = globSync('docs/decisions/*.md', { cwd: root });
  const rows = files.flatMap((file) =>
    [...read(file).matchAll(/^\| .+ \|$/gm)].map(([row]) => ({ file, cells: row.split(/(?<!\\)\|/) })),
  );
  assert.ok(rows.length > 100);
  const wrong = rows.filter(({ cells }) => cells.length !== 6 || cells.some((cell) => /[.!?] \S/.test(cell)));
  assert.deepEqual(wrong, [], 'split the row');
  const listed = [...read('docs/decisions.md').matchAll(/\((decisions\/[\w-]+\.md)\)/g)].map(
    ([, to]) => `docs/${to}`,
  );
  assert.deepEqual(listed.sort(), files.sort(), 'list the area in docs/decisions.md');
  assert.doesNotMatch(read('docs/decisions.md'), /held by \|/, 'rows belong into docs/decisions/');
});

test('ARCHITECTURE.md has sections of one screen', () => {
  const sections = read('ARCHITECTURE.md').split(/^## /m).slice(1);
  const long = sections.filter((section) => section.split('\n').length > 46);
  assert.deepEqual(
    long.map((section) => section.split('\n')[0]),
    [],
    'move details to a README.md next to the code',
  );
});

test('migrations are numbered without gaps and say why', () => {
  const files = globSync('database/migrations/*_*.sql', { cwd: root }).sort();
  files.forEach((file, at) => {
    assert.ok(path.basename(file).startsWith(String(at + 1).padStart(4, '0')), `${file} is out of order`);
    assert.match(read(file), /^-- Why: \S/, `${file} must start with "-- Why: …"`);
  });
});

interface LockEntry {
  version: string;
  resolved?: string;
  integrity?: string;
  engines?: object;
}

const lockfile: Record<string, LockEntry> = JSON.parse(read('package-lock.json')).packages;

test('the lockfile installs on every machine', () => {
  const remedy = 'run npm run lock';
  const entries = Object.entries(lockfile).filter(([place]) => place !== '');
  const withAddress = entries.filter(([, { resolved }]) => resolved !== undefined);
  assert.deepEqual(withAddress, [], `addresses of one machine’s registry: ${remedy}`);
  const withoutHash = entries.filter(([, { integrity }]) => !integrity);
  assert.deepEqual(withoutHash, [], 'a package without its hash');
  const withEngines = entries.filter(([, { engines }]) => engines).map(([place]) => place);
  assert.deepEqual(withEngines, [], `npm on Node 20 warns about these, or skips them if optional: ${remedy}`);
});

test('the lockfile has Node, PostgreSQL and the EVM engine for every platform', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  const edr = optionalDependencies['@nomicfoundation/edr'];
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  const engines = platforms.flatMap((platform) =>
    platform.startsWith('linux') ? [`${platform}-gnu`, `${platform}-musl`] : [platform],
  );
  const wanted = [
    ...Object.entries(optionalDependencies),
    ...engines.map((platform) => [`@nomicfoundation/edr-${platform}`, edr]),
  ];
  const locked = wanted.map(([name]) => [name, lockfile[`node_modules/${name}`]?.version]);
  assert.deepEqual(locked, wanted, 'run npm run lock');
  for (const platform of platforms) {
    const names = Object.keys(optionalDependencies).filter((name) => name.endsWith(platform));
    assert.equal(names.length, 2, `Node and PostgreSQL for ${platform}`);
  }
});
