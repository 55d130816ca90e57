import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** From the top down: a layer may import those below it. */
const layers = ['entry', 'surfaces', 'features', 'adapters', 'platform'] as const;

/** Imports within a layer. A new one is a decision: make it here. Every feature may also import `audit`. */
const neighbours: Record<string, string[]> = {
  cli: ['app', 'commands.json', 'main', 'sandbox'],
  sandbox: ['main'],
  main: ['app'],
  approvals: ['people', 'rules', 'withdrawals'],
  withdrawals: ['events', 'keys', 'ledger', 'partners', 'payouts', 'rules', 'users'],
  cards: ['events', 'users', 'withdrawals'],
  treasury: ['deposits', 'ledger', 'payouts'],
  webhooks: ['connect/developers', 'connect/integrations', 'events', 'keys', 'partners', 'users'],
  deposits: ['events', 'ledger', 'payouts', 'users'],
  payouts: ['ledger', 'partners', 'rules', 'users'],
  nodes: ['deposits', 'payouts'],
  portfolio: ['ledger', 'users'],
  doctor: ['nodes', 'users'],
  requests: ['keys'],
  rules: ['keys', 'partners', 'people', 'users'],
  ledger: ['events', 'users'],
  'connect/pages': ['connect/consents', 'connect/integrations', 'connect/sessions', 'ledger'],
  'connect/consents': ['connect/integrations', 'events', 'users'],
  'connect/applications': ['connect/integrations', 'people', 'users'],
  'connect/developers': ['connect/consents', 'connect/integrations', 'people'],
  'connect/integrations': ['events'],
  'connect/sessions': ['users'],
  keys: ['events', 'partners', 'people', 'users'],
  people: ['connect/integrations', 'connect/pages', 'partners', 'users'],
  partners: ['users'],
  console: ['frame'],
  developers: ['frame'],
  partner: ['frame'],
  config: ['evm', 'openid', 'operator-roles'],
  context: ['evm', 'issuer', 'operator-roles', 'prices', 'screening'],
};

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));

/** The layer of a file, and its place in it: a feature, a surface, an adapter, or a file or folder on top. */
function placeOf(file: string): { layer: (typeof layers)[number]; place: string } {
  const [, first, second, third] = file.split('/') as [string, string, string?, string?];
  if (first === 'features')
    return { layer: 'features', place: second === 'connect' ? `connect/${third}` : second! };
  if (first === 'surfaces' || first === 'adapters') return { layer: first, place: second! };
  if (first === 'platform') return { layer: 'platform', place: 'platform' };
  const place = first.replace(/\.ts$/, '');
  // What a verb receives, and the settings: adapters are in both.
  const isShared = ['config', 'context', 'field-words', 'operator-roles'].includes(place);
  return { layer: isShared ? 'adapters' : 'entry', place };
}

const aliases = Object.entries<string>(JSON.parse(read('package.json')).imports);

/** The file that an import of ours names, from the root; undefined for a package. */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier);
  for (const [alias, to] of aliases) {
    const [start = '', end] = alias.split('*');
    if (end === undefined ? specifier === alias : specifier.startsWith(start))
      return path.normalize(to.replace('*', specifier.slice(start.length)));
  }
  return undefined;
}

const imports = sources.flatMap((file) =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([.#][^']+)'/g)].map(([, specifier]) => ({
    file,
    specifier: specifier!,
    target: targetOf(file, specifier!) ?? assert.fail(`${file} imports ${specifier}`),
  })),
);
const between = imports
  .map((one) => ({ ...one, from: placeOf(one.file), to: placeOf(one.target) }))
  .filter(({ from, to }) => from.place !== to.place);

test('imports go down the layers of ARCHITECTURE.md, or to a neighbour in the table', () => {
  const isAllowed = ({ from, to }: (typeof between)[number]) => {
    if (from.layer !== to.layer) return layers.indexOf(from.layer) < layers.indexOf(to.layer);
    if (from.layer === 'features' && to.place === 'audit') return true;
    return neighbours[from.place]?.includes(to.place) ?? false;
  };
  const wrong = between.filter((one) => !isAllowed(one)).map(({ file, target }) => `${file} → ${target}`);
  assert.deepEqual(
    wrong,
    [],
    'move the code, or add the arrow to the table in test/tidy.test.ts and say why in ARCHITECTURE.md',
  );
});

test('the table of features in ARCHITECTURE.md is that of the neighbours', () => {
  const isFeature = (place: string) => existsSync(path.join(root, 'src/features', place));
  const wanted = Object.entries(neighbours)
    .filter(([place]) => isFeature(place))
    .map(([place, targets]) => [place, targets.join(' ')]);
  const rows = read('ARCHITECTURE.md').matchAll(/^\| `([\w/]+)` \| ((?:`[\w/]+`(?:, )?)+) \|$/gm);
  const found = [...rows].map(([, place, targets]) => [
    place!,
    targets!.replaceAll('`', '').replaceAll(',', ''),
  ]);
  assert.deepEqual(found.sort(), wanted.sort(), 'change the table under "Layers" in ARCHITECTURE.md');
});

test('neighbours form no cycle, and each is used', () => {
  const visiting: string[] = [];
  const visit = (place: string) => {
    assert.ok(!visiting.includes(place), `cycle: ${[...visiting, place].join(' → ')}`);
    visiting.push(place);
    for (const next of neighbours[place] ?? []) visit(next);
    visiting.pop();
  };
  for (const place of Object.keys(neighbours)) visit(place);
  const unused = Object.entries(neighbours).flatMap(([place, targets]) =>
    targets
      .filter((to) => !between.some((one) => one.from.place === place && one.to.place === to))
      .map((to) => `${place} → ${to}`),
  );
  assert.deepEqual(unused, [], 'an arrow that nothing uses any more: take it out of the table');
});

test('files import each other in no cycle, types included', () => {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const visiting: string[] = [];
  const visit = (file: string) => {
    assert.ok(!visiting.includes(file), `cycle: ${[...visiting, file].join(' → ')}`);
    if (done.has(file)) return;
    visiting.push(file);
    for (const { target } of targets.get(file) ?? []) visit(target);
    visiting.pop();
    done.add(file);
  };
  for (const file of sources) visit(file);
});

test('a folder is entered through its index.ts', () => {
  const hasIndex = ['features', 'surfaces', 'adapters'];
  const wrong = between
    .filter(({ to, target }) => hasIndex.includes(to.layer) && target.split('/').length > 3)
    .filter(({ target }) => path.basename(target) !== 'index.ts' && !target.startsWith('src/config/'))
    .map(({ file, target }) => `${file} → ${target}`);
  assert.deepEqual(wrong, [], 'export it from that folder’s index.ts and import it from there');
});

test('another place is imported by its # name, and the own one by a path', () => {
  const named = ['src/context.ts', 'src/field-words.ts', 'src/operator-roles.ts'];
  const isFileAtTop = (target: string) => target.split('/').length === 2 && !named.includes(target);
  const wrong = imports
    .filter(({ file, specifier, target }) => {
      const isOwn = placeOf(file).place === placeOf(target).place;
      const isPath = isOwn || isFileAtTop(target) || target.startsWith('src/sandbox/');
      return specifier.startsWith('.') !== isPath;
    })
    .map(({ file, specifier }) => `${file}: ${specifier}`);
  assert.deepEqual(wrong, []);
});

test('the CLI starts without packages: what is heavy is imported where it is used', () => {
  const loaded = new Set<string>();
  const packages: string[] = [];
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, to] of read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
      const target = targetOf(file, to!);
      if (target) load(target);
      else if (!to!.startsWith('node:')) packages.push(`${file} → ${to}`);
    }
  };
  load('src/cli.ts');
  assert.ok(loaded.size > 5);
  assert.deepEqual(packages, [], '`causeway --help` must stay under 0.5 s of CPU');
});

test('viem is loaded in one place, when it is used, so never in two forms', () => {
  const wrong = sources.filter((file) => /from 'viem/.test(read(file)));
  assert.deepEqual(wrong, []);
});

test('the product imports no development package, and optional packages only when it needs them', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const statically = sources.flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^.#][^']*)'/gm)].map(([, name]) => ({
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

test('SQL of a feature stands in its queries.ts or queries/', () => {
  const statement = /['"`]\s*(?:select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s)/i;
  const wrong = sources
    .filter(
      (file) =>
        !['platform', 'sandbox'].includes(placeOf(file).place) &&
        path.basename(file) !== 'queries.ts' &&
        !file.includes('/queries/'),
    )
    .filter((file) => statement.test(read(file)));
  assert.deepEqual(wrong, [], 'give the statement a name in queries.ts');
});

/** The folder that a table belongs to, by its name. */
const owners: Record<string, RegExp> = {
  approvals: /^approval_/,
  audit: /^audit_/,
  cards: /^cards?(_|$)/,
  'connect/applications': /^connect_application(s|_logos)$/,
  'connect/consents': /^consents?(_|$)/,
  'connect/integrations': /^integrations?(_|$)/,
  'connect/sessions': /^(user_sessions|sign_in_links)$/,
  deposits: /^deposits?(_|$)/,
  events: /^events?(_|$)/,
  keys: /^api_key(s|_uses)$/,
  ledger: /^ledger_/,
  partners: /^partners?(_|$)/,
  payouts: /^(payout_|deployment$|found_payments$)/,
  people: /^(people|person_\w+)$/,
  platform: /^(job_leases|primary_mark|rate_windows)$/,
  portfolio: /^(positions?|prices)(_|$)/,
  requests: /^request_log$/,
  rules: /^rules?(_|$)/,
  treasury: /^treasury_/,
  users: /^(users|user_wallets|blocked_addresses|self_custody_addresses)$/,
  webhooks: /^webhook_/,
  withdrawals: /^withdrawals?(_|$)/,
};

/** Tables of others in a folder's SQL, in queries.ts and database/functions/. A new one is a decision. */
const foreignTables: Record<string, string[]> = {
  approvals: ['api_keys', 'people', 'withdrawals'],
  cards: ['api_keys', 'event_records', 'ledger_postings', 'partners', 'users', 'withdrawals'],
  'connect/consents': ['integration_keys', 'integration_logos', 'integrations'],
  deposits: ['api_keys', 'event_records', 'ledger_lines', 'ledger_lists', 'ledger_postings', 'user_wallets'],
  events: ['api_keys', 'integrations', 'partners'],
  keys: ['partner_users_removed', 'partners', 'users'],
  ledger: [
    'api_keys',
    'card_refills',
    'event_records',
    'payout_attempts',
    'payout_slots',
    'prices_by_hour',
    'users',
    'withdrawal_lists',
    'withdrawals',
  ],
  partners: ['users'],
  people: ['integrations', 'partners'],
  payouts: ['audit_log', 'withdrawals'],
  rules: ['api_keys', 'partners', 'people', 'person_passkeys', 'user_wallets', 'withdrawals'],
  treasury: [
    'deposit_cursors',
    'deposits',
    'found_payments',
    ...['ledger_accounts', 'ledger_credits', 'ledger_lines', 'ledger_lists', 'ledger_postings'],
    'payout_attempts',
    'payout_fillers',
    'payout_slots',
    'user_wallets',
    'withdrawals',
  ],
  users: ['card_issuer_users', 'payout_signers', 'withdrawals'],
  webhooks: [
    'api_keys',
    'event_streams',
    'events',
    'integrations',
    'partner_users_removed',
    'partners',
    'users',
  ],
  withdrawals: [
    'api_keys',
    'event_records',
    'found_payments',
    'partners',
    'payout_slots',
    'people',
    'rule_verdicts',
    'user_wallets',
    'users',
  ],
};

/** Triggers of one folder's tables that write another folder's tables. */
const byTrigger: Record<string, string[]> = {
  'cards → events': [
    'card_refills_record_events',
    'card_transactions_record_changes',
    'card_transactions_record_new',
    'cards_record_changes',
    'cards_record_new',
  ],
  'deposits → events': ['deposits_record_events'],
  'ledger → events': ['ledger_record_events'],
  'withdrawals → events': ['withdrawals_record_moves', 'withdrawals_record_new'],
  'withdrawals → ledger': ['ledger_note_completed_withdrawals', 'ledger_note_new_withdrawals'],
  'withdrawals → rules': ['withdrawals_apply_rules', 'withdrawals_return_spends'],
};

const schema = read('database/schema.sql');
const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name!);
const ownersOf = (table: string) => Object.keys(owners).filter((place) => owners[place]!.test(table));

/** The tables that a text names after one of these words. */
function tablesIn(text: string, words: string): string[] {
  const code = text.replaceAll(/^\s*(?:--|\*|\/[/*]).*/gm, '');
  const named = code.matchAll(new RegExp(`\\b(?:${words})\\s+(\\w+)`, 'g'));
  return [...new Set([...named].map(([, name]) => name!))].filter((name) => tables.includes(name));
}

/** By the first of each pair, the second ones, sorted and once each. */
function listByFirst(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([first]) => first);
  const lists = [...groups].map(([first, some]) => [first, [...new Set(some.map(([, one]) => one))].sort()]);
  return Object.fromEntries(lists);
}

const functionFiles = globSync('database/functions/*/*.sql', { cwd: root });
const functionPlace = (file: string) => {
  const folder = file.split('/')[2]!;
  if (existsSync(path.join(root, 'src/platform', folder))) return 'platform';
  return existsSync(path.join(root, 'src/features/connect', folder)) ? `connect/${folder}` : folder;
};

test('every table has one owner, and SQL names tables of others only where the list allows it', () => {
  const wrongOwners = tables.filter((table) => ownersOf(table).length !== 1);
  assert.deepEqual(wrongOwners, [], 'give the table one owner in test/tidy.test.ts');
  const queries = sources.filter((file) => /\/queries(\.ts|\/[^/]+)$/.test(file));
  const pairs = [...queries, ...functionFiles].flatMap((file) => {
    const place = file.startsWith('database/') ? functionPlace(file) : placeOf(file).place;
    const named = tablesIn(read(file), 'from|join|into|update');
    return named.filter((table) => ownersOf(table)[0] !== place).map((table) => [place, table] as const);
  });
  assert.deepEqual(
    listByFirst(pairs),
    foreignTables,
    'let the owner’s folder read it, or change foreignTables in test/tidy.test.ts',
  );
});

test('triggers that write tables of another folder are in the table of ARCHITECTURE.md', () => {
  const bodies = new Map(functionFiles.map((file) => [path.basename(file, '.sql'), read(file)]));
  const written = (name: string, seen = new Set<string>()): string[] => {
    if (seen.has(name) || !bodies.has(name)) return [];
    seen.add(name);
    const called = [
      ...bodies
        .get(name)!
        .replaceAll(/--.*/g, '')
        .matchAll(/\b(\w+)\(/g),
    ];
    const own = tablesIn(bodies.get(name)!, 'insert into|update|delete from');
    return [...own, ...called.flatMap(([, one]) => written(one!, seen))];
  };
  const triggers = schema.matchAll(/^CREATE TRIGGER (\w+) .*? ON public\.(\w+) .*EXECUTE FUNCTION (\w+)\(/gm);
  const pairs = [...triggers].flatMap(([, trigger, table, name]) => {
    const [from] = ownersOf(table!);
    const others = written(name!)
      .flatMap(ownersOf)
      .filter((to) => to !== from);
    return others.map((to) => [`${from} → ${to}`, trigger!] as const);
  });
  assert.ok(pairs.length > 0);
  assert.deepEqual(
    listByFirst(pairs),
    byTrigger,
    'change byTrigger in test/tidy.test.ts and "Triggers" in ARCHITECTURE.md',
  );
  const section = read('ARCHITECTURE.md')
    .split(/^## /m)
    .find((part) => part.startsWith('Triggers'))!;
  const missing = Object.values(byTrigger)
    .flat()
    .filter((trigger) => !section.includes(`\`${trigger}\``));
  assert.deepEqual(missing, [], 'name the trigger under "Triggers" in ARCHITECTURE.md');
});

const clientSources = globSync('packages/*/src/**/*.ts', { cwd: root });

test('files have kebab-case names that say what is inside', () => {
  const wrong = [...sources, ...clientSources].filter((file) => {
    const name = path.basename(file, '.ts').replace(/\.test$/, '');
    return (
      !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || /^(utils?|helpers?|common|misc|manager|service)$/.test(name)
    );
  });
  assert.deepEqual(wrong, [], 'a function without a home wants a home with a name');
});

test('a test file has at most 600 lines', () => {
  const files = globSync('{src,test,packages/*/src}/**/*.test.ts', { cwd: root });
  assert.ok(files.length > 200);
  const long = files.filter((file) => read(file).trimEnd().split('\n').length > 600);
  assert.deepEqual(long, [], 'split it by subject, and move shared set-up to a file in test/');
});

test('no object is spread where it is written', () => {
  const files = globSync('{src,test,bench,scripts,contracts,packages/*/src}/**/*.ts', { cwd: root });
  const wrong = files.filter((file) => file !== 'test/tidy.test.ts' && read(file).includes('...{'));
  assert.deepEqual(wrong, [], 'list its properties in the object around it');
});

test('no test is skipped or run alone', () => {
  const skipping = /\b(?:test|it|describe|t|context)\.(?:skip|only|todo)\b|\bskip: |\bonly: true/;
  const files = globSync(['{src,packages/*/src}/**/*.test.ts', 'test/**/*.ts'], { cwd: root });
  const wrong = files.filter((file) => file !== 'test/tidy.test.ts' && skipping.test(read(file)));
  // Their browserTest and toolTest skip where no browser or program is installed, and never in CI.
  assert.deepEqual(wrong.sort(), ['test/callers/browser.ts', 'test/callers/tools.ts']);
  assert.match(read('.ci/run'), /^export CAUSEWAY_REQUIRE_BROWSER=1$/m);
  assert.match(read('.ci/run'), /^export CAUSEWAY_REQUIRE_TOOLS=1$/m);
});

const documents = globSync(['*.md', '{docs,src,test}/**/*.md', 'packages/*/*.md'], { cwd: root });

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
  /** A package of this repository. */
  link?: boolean;
}

const lockfile: Record<string, LockEntry> = JSON.parse(read('package-lock.json')).packages;

test('the lockfile installs on every machine', () => {
  const remedy = 'run npm run lock';
  // Not our own packages, which are folders here.
  const entries = Object.entries(lockfile).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link,
  );
  assert.ok(entries.length > 300);
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

test('the processes that benchmarks start are files', () => {
  const started = globSync('bench/**/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/startProcess\('([^']+)'/g)].map(([, name]) => name!),
  );
  assert.ok(started.length > 5);
  for (const name of started) assert.ok(existsSync(path.join(root, 'bench/withdrawals', name)), name);
});
