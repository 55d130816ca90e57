export { describeCommand, parseCommandLine, renderAnswer, UsageFault } from './command-line.ts';
export { operatorRoutes } from './routes.ts';
