import AjvCompiler from '@fastify/ajv-compiler';
import SerializerCompiler from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

/**
 * Fastify's own compilers, with each schema compiled on first use. If all are compiled at the start, even for
 * a single operator command, the app takes 3.4 s of CPU to start, not 2.0
 * (`npm run bench -- shortcuts starts`).
 */
export const lazySchemas = {
  compilersFactory: { buildValidator: lazily(AjvCompiler()), buildSerializer: lazily(SerializerCompiler()) },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

type BuildCompiler = (...options: never[]) => (route: never) => Compiled;
/** A validator or a serializer; Fastify reads a validator's faults from the function that it called. */
type Compiled = ((data: unknown) => unknown) & { errors?: unknown };

function lazily(buildCompiler: unknown): BuildCompiler {
  return (...options) => {
    const compile = (buildCompiler as BuildCompiler)(...options);
    return (route) => {
      let compiled: Compiled | undefined;
      const lazy: Compiled = (data) => {
        compiled ??= compile(route);
        const result = compiled(data);
        lazy.errors = compiled.errors;
        return result;
      };
      return lazy;
    };
  };
}
