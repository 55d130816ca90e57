export { type SandboxIssuer, type StoryStep, startIssuer } from './start-issuer.ts';
