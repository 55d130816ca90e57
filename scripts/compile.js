// `npm install` in a checkout: compiles what `npm start` loads and keeps it where bin/causeway.js looks, so
// that the first start takes no longer than later ones. An install must not fail by it: without it, the first
// start compiles. Plain JavaScript, because an older Node may run it; that one has no such cache.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const loaded = [
  '../src/cli/starts.ts',
  '../src/sandbox/run-sandbox.ts',
  '../src/sandbox/serve-demo.ts',
  // Loaded by name later: by the first check of a body, and by the thread of the devnets.
  'typebox/compile',
  '@nomicfoundation/edr',
];

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const folder = fileURLToPath(new URL('../node_modules/.cache/causeway', import.meta.url));
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? folder);
  for (const name of loaded) {
    await import(name).catch((error) =>
      console.error(`Not compiled, the first start does it: ${name}: ${error.message}`),
    );
  }
}
