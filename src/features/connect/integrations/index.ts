export { authenticateIntegration } from './authenticate-integration.ts';
export { integrationCommands } from './commands.ts';
export { integrationErrors } from './errors.ts';
export { integrationContext, integrationGuard, integrationRateGuard } from './guard.ts';
export { holdIntegration } from './hold-integration.ts';
export { integrationLock, selectIntegration, selectNewestKeys } from './queries.ts';
export { readLogo } from './read-logo.ts';
export { faultInRedirectUri } from './redirect-uri.ts';
export {
  addIntegration,
  type NewIntegration,
  type RegisteredIntegration,
  registerIntegration,
  requireAddresses,
} from './register-integration.ts';
export { type RotatedKey, rotateIntegrationKey } from './rotate-integration-key.ts';
export { type ConsentScope, consentScopes, orderScopes } from './scopes.ts';
export { adoptLogo, setLogo } from './set-logo.ts';
export { updateIntegration } from './update-integration.ts';
export {
  integration,
  overlapHours,
  presentIntegration,
  scopeList,
  termFields,
} from './wire.ts';
