export { developerContext, developerGuard } from './guard.ts';
export { developerCases, developerSecurity } from './reference.ts';
export { developerRoutes } from './routes.ts';
export type { OwnIntegration } from './wire.ts';
