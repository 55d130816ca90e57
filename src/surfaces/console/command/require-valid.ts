import type { Ctx } from '#context';
import type { Command } from '#platform/commands/command';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyRequest } from '#platform/http/http';

/** By the validator of the command's route: a fault is found before the confirmation, in the same words. */
export function requireValid(request: FastifyRequest, { input: schema }: Command<Ctx>, input: object): void {
  const validate = request.compileValidationSchema(schema as object, 'body');
  if (!validate(structuredClone(input)))
    throw asRefusal({ validation: validate.errors, validationContext: 'body' });
}
