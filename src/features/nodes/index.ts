export { nodeCommands } from './commands.ts';
/** Asks every node of a network what payouts and deposits need of it, and compares the answers. */
export { examineNodes } from './examine-nodes.ts';
