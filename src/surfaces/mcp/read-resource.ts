import type { Ctx, KeyActor } from '#context';
import type { ResourceKind } from '#platform/commands/resource';
import { Refusal } from '#platform/errors/errors';
import { mcpErrors } from './errors.ts';
import type { JsonObject } from './message.ts';

export type KeyResources = readonly ResourceKind<Ctx<KeyActor>>[];

/** The lines of `resources/list`. */
export async function listResources(kinds: KeyResources, ctx: Ctx<KeyActor>) {
  const lists = kinds.map(async ({ mimeType, list }) =>
    (await list(ctx)).map((resource) => ({ ...resource, mimeType })),
  );
  return (await Promise.all(lists)).flat();
}

/** The line of `resources/templates/list`. */
export const presentTemplate = ({
  uriTemplate,
  name,
  title,
  description,
  mimeType,
}: KeyResources[number]) => ({
  uriTemplate,
  name,
  title,
  description,
  mimeType,
});

/** The contents of `resources/read`. */
export async function readResource(kinds: KeyResources, ctx: Ctx<KeyActor>, { uri }: JsonObject) {
  if (typeof uri !== 'string') {
    throw mcpErrors.invalidParams({ message: 'params.uri must be the address of a resource' });
  }
  const data = { uri: uri.slice(0, 500) };
  for (const { mimeType, read } of kinds) {
    const text = await read(ctx, uri).catch((error) => {
      if (!(error instanceof Refusal)) throw error;
      throw mcpErrors.resourceRefused({ message: error.message, data, cause: error });
    });
    if (text !== undefined) return [{ uri, mimeType, text }];
  }
  throw mcpErrors.resourceNotFound({ data });
}
