export type { AllowedPlaces } from './origins.ts';
export { mcpPolicy, mcpRoutes } from './routes.ts';
