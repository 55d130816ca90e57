export { statementCommand } from './command.ts';
export { makeStatement } from './make-statement.ts';
