export { authenticateKey } from './authenticate-key.ts';
export { keyCommands } from './commands.ts';
export { keyEvents } from './events.ts';
export { keyContext, keyGuard, rateGuard, scopeMissing } from './guard.ts';
export { type IssuedKey, issueKey } from './issue-key.ts';
export { keyExists } from './queries.ts';
export { revokeKey } from './revoke-key.ts';
export { routeScopes, usualScopes } from './scopes.ts';
export { suspendKey } from './suspend-key.ts';
