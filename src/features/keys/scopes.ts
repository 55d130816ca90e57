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

/** Instead of scopes of ours: a key for MCP only. It opens nothing. */
export const noApiScope = 'api:none';

export type Scope = (typeof mcpScopes)[number] | ApiScope | typeof noApiScope;

/** What the contract gives every key. */
export const usualScopes: readonly ApiScope[] = apiScopes.filter((scope) => scope !== 'partner:admin');

const admin = ['partner:admin'] as const;
const webhooks = ['webhooks:manage', 'partner:admin'] as const;

/**
 * The scopes that each route behind a key accepts, any one of them; null if any key will do. The guard
 * refuses to serve a route that is not here. `/mcp` has a ladder of its scopes in `src/surfaces/mcp/`.
 */
export const routeScopes: Readonly<Record<string, readonly [ApiScope, ...ApiScope[]] | null>> = {
  'POST /api/crypto/:userId/withdraw': ['withdrawals:create'],
  'POST /api/crypto/:userId/withdrawals/bulk': ['withdrawals:create'],
  'GET /api/crypto/:userId/withdraws': ['withdrawals:read'],
  'GET /api/withdrawals': ['withdrawals:read'],
  'GET /api/crypto/assets': null,
  'GET /api/limits': null,
  'GET /api/history': ['history:read'],
  'GET /api/history/statement': ['history:read'],
  'GET /api/events': ['events:read'],
  'POST /api/webhooks/endpoints': webhooks,
  'GET /api/webhooks/endpoints': webhooks,
  'GET /api/webhooks/endpoints/:endpointId': webhooks,
  'PATCH /api/webhooks/endpoints/:endpointId': webhooks,
  'DELETE /api/webhooks/endpoints/:endpointId': webhooks,
  'POST /api/webhooks/endpoints/:endpointId/rotate-secret': webhooks,
  'POST /api/webhooks/endpoints/:endpointId/test': webhooks,
  'POST /api/webhooks/endpoints/:endpointId/replay': webhooks,
  'GET /api/webhooks/endpoints/:endpointId/deliveries': webhooks,
  'GET /api/webhooks/endpoints/:endpointId/deliveries/:deliveryId': webhooks,
  'GET /api/keys': admin,
  'POST /api/keys': admin,
  'GET /api/keys/:keyId': admin,
  'POST /api/keys/:keyId/rotate': admin,
  'POST /api/keys/:keyId/revoke': admin,
  'GET /api/addresses': admin,
  'POST /api/addresses': admin,
  'DELETE /api/addresses/:addressId': admin,
  'GET /api/requests': admin,
};

/**
 * The scopes of a key, each once. A list without one of ours says nothing about them: it gets `others`. So
 * keys from before our scopes, and callers that name only the contract's, keep what they have.
 */
export function completeScopes(scopes: readonly string[], others: readonly string[] = usualScopes): string[] {
  return [...new Set(scopes.some(isApiScope) ? scopes : [...scopes, ...others.filter(isApiScope)])];
}

/** `api:none` says that there are no scopes of the API, so none may be beside it. */
export const hasOnlyOneKind = (scopes: readonly string[]): boolean =>
  !scopes.includes(noApiScope) || !scopes.some((scope) => scope !== noApiScope && isApiScope(scope));

const isApiScope = (scope: string) =>
  scope === noApiScope || (apiScopes as readonly string[]).includes(scope);
