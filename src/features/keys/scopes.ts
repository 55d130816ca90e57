/** The contract's scopes, for MCP. */
export const mcpScopes = ['mcp', 'mcp_card_reveal', 'mcp:write'] as const;

/** Ours, for everything else behind a key. */
export const apiScopes = [
  'withdrawals:create',
  'withdrawals:read',
  'history:read',
  'events:read',
  'webhooks:manage',
  'partner:admin',
] as const;

export type ApiScope = (typeof apiScopes)[number];

/** What the contract gives every key. */
export const usualScopes: readonly ApiScope[] = apiScopes.filter((scope) => scope !== 'partner:admin');

/**
 * The scope that each route behind a key needs; null if any key will do. The guard refuses to serve a route
 * that is not here. `/mcp` has a ladder of its scopes in `src/surfaces/mcp/`.
 */
export const routeScopes: Readonly<Record<string, ApiScope | null>> = {
  'POST /api/crypto/:userId/withdraw': 'withdrawals:create',
  'POST /api/crypto/:userId/withdrawals/bulk': 'withdrawals:create',
  'GET /api/crypto/:userId/withdraws': 'withdrawals:read',
  'GET /api/crypto/assets': null,
  'GET /api/limits': null,
  'GET /api/history': 'history:read',
  'GET /api/history/statement': 'history:read',
  'GET /api/events': 'events:read',
  'POST /api/webhooks/endpoints': 'webhooks:manage',
  'GET /api/webhooks/endpoints': 'webhooks:manage',
  'GET /api/webhooks/endpoints/:endpointId': 'webhooks:manage',
  'PATCH /api/webhooks/endpoints/:endpointId': 'webhooks:manage',
  'DELETE /api/webhooks/endpoints/:endpointId': 'webhooks:manage',
  'POST /api/webhooks/endpoints/:endpointId/rotate-secret': 'webhooks:manage',
  'POST /api/webhooks/endpoints/:endpointId/test': 'webhooks:manage',
  'POST /api/webhooks/endpoints/:endpointId/replay': 'webhooks:manage',
  'GET /api/webhooks/endpoints/:endpointId/deliveries': 'webhooks:manage',
  'GET /api/webhooks/endpoints/:endpointId/deliveries/:deliveryId': 'webhooks:manage',
};

/**
 * The scopes of a key, each once. A list without one of ours says nothing about them: it gets `others`. So
 * keys from before our scopes, and callers that name only the contract's, keep what they have.
 */
export function completeScopes(scopes: readonly string[], others: readonly string[] = usualScopes): string[] {
  return [...new Set(scopes.some(isApiScope) ? scopes : [...scopes, ...others.filter(isApiScope)])];
}

const isApiScope = (scope: string) => (apiScopes as readonly string[]).includes(scope);
