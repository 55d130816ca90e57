export { type SandboxIssuer, startIssuer } from './start-issuer.ts';
