import type { Ctx, UserActor } from '#context';
import {
  type ConsentScope,
  consentScopes,
  decideConsent,
  findRepeatedDecision,
} from '#features/connect/consents';
import { invalidField } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import type { Form } from '#platform/pages/form';

/** A form that is sent twice, as by a second click, leads to the same place twice. */
export async function decideOnce(
  ctx: Ctx<UserActor>,
  decision: Parameters<typeof findRepeatedDecision>[1],
): Promise<{ redirectTo: string }> {
  try {
    return await decideConsent(ctx, decision);
  } catch (error) {
    const isUsed = asRefusal(error).code === 'link_used';
    const answer = isUsed && (await findRepeatedDecision(ctx, decision));
    if (!answer) throw error;
    return answer;
  }
}

/** Whether they were asked for is the consent's to say. */
export function readScopes(form: Form): ConsentScope[] {
  const scopes = form.get('scopes') ?? [];
  if (new Set(scopes).size < scopes.length) throw invalidField('scopes', 'has one more than once');
  return scopes.map((scope) => {
    if (!(consentScopes as readonly string[]).includes(scope))
      throw invalidField('scopes', 'has an unknown one');
    return scope as ConsentScope;
  });
}
