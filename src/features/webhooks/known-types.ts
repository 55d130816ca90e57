import { type EventFamily, familiesFor } from '#features/events';
import { invalidField } from '#platform/errors/errors';

/** Refuses a type that this kind of subscriber never receives, because it is a typing error. */
export function requireKnownTypes(
  families: readonly EventFamily[],
  audience: 'partner' | 'integration',
  types: readonly string[] | null | undefined,
): void {
  const known = familiesFor(families, audience).flatMap((family) => family.types.map(({ type }) => type));
  const unknown = types?.find((type) => !known.includes(type));
  if (unknown === undefined) return;
  const near = known.filter((type) => type.split('.')[0] === unknown.split('.')[0]);
  const choice = near.length > 0 ? near : known;
  throw invalidField('types', `has an unknown type, ${JSON.stringify(unknown)}: use ${choice.join(', ')}`);
}
