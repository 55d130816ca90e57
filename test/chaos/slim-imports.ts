// Loaded before a chaos worker: of viem only what src/adapters/evm/ imports, and none of the schemas. It
// starts in half the time, and how many workers can be killed in a minute depends on that.
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const sources = new Map([
  ['viem/utils', slimOf('viem/utils', 'node_modules/viem/_esm/utils/index.js')],
  ['viem/accounts', slimOf('viem/accounts', 'node_modules/viem/_esm/accounts/index.js')],
  // Commands describe themselves with it; a worker has none.
  [
    'typebox',
    'export const Type = new Proxy({}, { get: () => (properties) => ({ properties: { ...properties } }) });',
  ],
]);

registerHooks({
  resolve(specifier, context, next) {
    if (!sources.has(specifier)) return next(specifier, context);
    return { url: `slim:${specifier}`, shortCircuit: true, format: 'module' };
  },
  load(url, context, next) {
    const source = url.startsWith('slim:') ? sources.get(url.slice('slim:'.length)) : undefined;
    return source === undefined ? next(url, context) : { source, shortCircuit: true, format: 'module' };
  },
});

/**
 * The names that our code imports of a package, each from the file where the package's index says that it is.
 */
function slimOf(specifier: string, indexFile: string): string {
  const index = new URL(indexFile, root);
  const places = new Map<string, string>();
  for (const [, names, from] of readFileSync(index, 'utf8').matchAll(/export \{([^}]*)\} from '([^']+)'/g)) {
    const url = from!.startsWith('.') ? new URL(from!, index).href : import.meta.resolve(from!);
    for (const name of names!.split(',')) places.set(name.trim().split(' as ').at(-1)!, url);
  }
  return namesImported(specifier)
    .map((name) => `export { ${name} } from '${places.get(name) ?? index.href}';`)
    .join('\n');
}

/** By an import, or as `viem.utils.name` through src/adapters/evm/viem.ts. */
function namesImported(specifier: string): string[] {
  const imported = new RegExp(`import \\{([^}]*)\\} from '${specifier}'`, 'g');
  const used = new RegExp(`\\b${specifier.replace('/', '\\.')}\\.(\\w+)`, 'g');
  const names = globSync('src/adapters/evm/*.ts', { cwd: fileURLToPath(root) }).flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    return [...text.matchAll(imported), ...text.matchAll(used)].flatMap(([, list]) => list!.split(','));
  });
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name && !name.startsWith('type '));
}
