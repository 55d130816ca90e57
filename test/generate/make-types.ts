// Prints the TypeScript types that openapi-typescript makes of a document. It needs the API of TypeScript 5,
// which TypeScript 7 does not have; @ts-morph/common has a copy.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const api = `data:text/javascript,${encodeURIComponent(
  `import { createRequire } from 'node:module';
   export default createRequire(${JSON.stringify(import.meta.url)})('@ts-morph/common').ts;`,
)}`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: api, shortCircuit: true } : next(specifier, context),
});

const { default: openapiTS, astToString } = await import('openapi-typescript');
const document = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
// A field with a default may be left out of a request.
process.stdout.write(astToString(await openapiTS(document, { defaultNonNullable: false })));
