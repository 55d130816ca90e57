export { brandFiles } from './brand.ts';
export { type Frame, renderFrame, renderInstant } from './frame.ts';
export { type ConnectPageOptions, connectPages } from './routes.ts';
export { statementPages } from './statement-routes.ts';
