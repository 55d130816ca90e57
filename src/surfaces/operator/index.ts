export { exampleOf, operatorTags } from './reference.ts';
export { withRolesCommand } from './roles-command.ts';
export { operatorRoutes } from './routes.ts';
