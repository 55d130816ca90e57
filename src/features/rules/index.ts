export { ruleCommands } from './commands.ts';
