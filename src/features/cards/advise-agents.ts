import type { Tool } from '#platform/commands/tool';
import { Refusal } from '#platform/errors/errors';

/** What an agent may do about a refusal, by its code, where the refusal's own words, which others read as well, do not say. */
const advice: Readonly<Record<string, string>> = {
  card_not_found:
    'Call getUserCards with status all for the cards of this user, and give id and cardIssuerUserId of one and the same card.',
  card_account_not_found:
    'Call getUserCards with status all for the accounts (cardIssuerUserId) of this user.',
  card_canceled: 'createUserCards makes a new one.',
  issuer_refused: 'The same request again is refused again.',
  idempotency_key_reused: 'Send the first request unchanged under this key, or this one under a new key.',
  session_invalid: 'Call getCardRevealPublicKey and do as its usage says.',
  session_used: 'Do as usage of getCardRevealPublicKey says.',
  reveal_not_allowed: 'Call getUserCards with this cardId for its status.',
};

/** The tool, telling whoever is refused what to call next. */
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
