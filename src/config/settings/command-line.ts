import { asText } from '../parsers.ts';
import { readerOf, type Setting } from '../setting.ts';
import { essential } from './essential.ts';

/** What operator commands and the sandbox need. */
export const commandLine = {
  CAUSEWAY_HOME: {
    meaning: 'Folder of the sandbox: its database, keys and `sandbox.json`.',
    default: '.causeway',
    parse: asText,
  },
  CAUSEWAY_URL: {
    meaning: 'Server for `causeway <feature> <command>`, like `--url`.',
    default: '',
    example: 'https://connect.example.com',
    parse: asText,
  },
  CAUSEWAY_OPERATOR_TOKEN: {
    meaning: 'Operator token for that server, like `--token`.',
    default: '',
    example: '<token>',
    secret: true,
    parse: asText,
  },
} satisfies Record<string, Setting>;

/** For the CLI, which must start without the packages that the parsers of other settings load. */
export const readCommandLineSetting = readerOf({
  DATABASE_URL: essential.DATABASE_URL,
  ...commandLine,
});
