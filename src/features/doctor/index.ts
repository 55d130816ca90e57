export { doctorCommands } from './commands.ts';
