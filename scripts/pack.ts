// npm runs this around `npm pack` and `npm publish`: `prepack` compiles src/ to dist/, `postpack` removes it.
//
// Node does not strip types under node_modules, so the package has dist/ instead of src/. Both are one level
// deep, so that ../database is the same folder for both. dist/ has a package.json with the # names of its
// files.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const [source, compiled] = [path.join(root, 'src'), path.join(root, 'dist')];

rmSync(compiled, { recursive: true, force: true });
if (process.argv[2] === 'prepack') {
  execFileSync('tsc', ['-p', path.join(root, 'scripts/pack.tsconfig.json')], { stdio: 'inherit' });
  cpSync(source, compiled, { recursive: true, filter: (file) => !file.endsWith('.ts') });
  const { imports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.entries<string>(imports)
    .filter(([, to]) => to.startsWith('./src/'))
    .map(([name, to]) => [name, to.replace('./src/', './').replace(/\.ts$/, '.js')]);
  const own = { type: 'module', imports: Object.fromEntries(names) };
  writeFileSync(path.join(compiled, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}
