import type { Tool } from '#platform/commands/tool';
import { Refusal } from '#platform/errors/errors';

/**
 * Next steps for an agent, by error code. Only codes whose message, which other callers read too, lacks them.
 */
const advice: Readonly<Record<string, string>> = {
  card_not_found:
    'Call getUserCards with status all to list this user’s cards, and pass id and cardIssuerUserId of the same card.',
  card_account_not_found:
    'Call getUserCards with status all to find this user’s accounts (cardIssuerUserId).',
  card_canceled: 'Call createUserCards for a new card.',
  issuer_refused: 'Do not repeat the same request: it is refused again.',
  idempotency_key_reused:
    'Repeat the first request unchanged with this key, or send this one with a new key.',
  session_invalid: 'Call getCardRevealPublicKey and follow its usage.',
  session_used: 'Follow usage of getCardRevealPublicKey.',
  reveal_not_allowed: 'Call getUserCards with this cardId for its status.',
};

/** Wraps a tool so that its refusals also say what to call next. */
export function adviseAgents<Ctx>(tool: Tool<Ctx>): Tool<Ctx> {
  return {
    ...tool,
    async run(ctx, input) {
      try {
        return await tool.run(ctx, input);
      } catch (error) {
        throw error instanceof Refusal ? withAdvice(error) : error;
      }
    },
  };
}

function withAdvice(refusal: Refusal): Refusal {
  const { status, code, message, details, headers } = refusal;
  const next = advice[code];
  if (next === undefined) return refusal;
  return new Refusal(status, code, `${message}. ${next}`, { details, headers, cause: refusal });
}
