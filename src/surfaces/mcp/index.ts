export type { AllowedPlaces } from './origins.ts';
export { prompts } from './prompts.ts';
export { mcpRoutes } from './routes.ts';
