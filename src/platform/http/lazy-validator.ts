import { createRequire } from 'node:module';
import type { Static, TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';

const require = createRequire(import.meta.url);
const loadCompiler = (): typeof import('typebox/compile') => require('typebox/compile');

/**
 * A TypeBox validator that is compiled on first use. Loading the compiler takes 0.22 s of CPU
 * (`npm run bench -- shortcuts starts`), and most processes never need it.
 */
export function lazyValidator<Schema extends TSchema>(schema: Schema) {
  let compiled: Validator | undefined;
  const validator = () => {
    compiled ??= loadCompiler().Compile(schema) as unknown as Validator;
    return compiled;
  };
  return {
    check: (value: unknown): value is Static<Schema> => validator().Check(value),
    errors: (value: unknown) => validator().Errors(value),
  };
}
