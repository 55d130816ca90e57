export type { WebhookTarget } from './deliver-webhooks.ts';
export { type IssuerOptions, type SandboxIssuer, startIssuer } from './start-issuer.ts';
