export { statementCommand } from './command.ts';
export {
  type AssetValuer,
  makeStatement,
  type StatementFormat,
  statementFormats,
  statementTypes,
} from './make-statement.ts';
export { statementResources } from './resources.ts';
export { spellingOf } from './spelling.ts';
export { type StatementVerdict, verifyStatement } from './verify-statement.ts';
export { type Language, languages } from './words.ts';
