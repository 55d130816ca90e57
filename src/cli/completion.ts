import {
  type CommandDescription,
  choicesOf,
  flagOf,
  hyphenated,
  propertiesOf,
} from '#platform/commands/command-description';
import { optionsOf } from './arguments.ts';
import { UsageFault } from './exit-codes.ts';
import type { Start } from './help.ts';

/** What may stand at a place, with a few words about it. */
export type Candidate = readonly [word: string, about: string];

/**
 * The scripts ask this program for candidates at each Tab, so they stay right when commands change. A
 * candidate is a line: the word, and a tab with what it means. Without candidates, shells offer files. The
 * last line of zsh: a file `_causeway` in `fpath` is run as the function itself at the first Tab.
 */
const scripts: Record<string, string> = {
  bash: `_causeway() {
  local IFS=$'\\n'
  COMPREPLY=($(causeway completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _causeway causeway`,
  zsh: `#compdef causeway
_causeway() {
  local -a lines
  lines=("\${(@f)$(causeway completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("\${(@)lines//:/\\\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  [[ -n "$lines" ]] && _describe 'causeway' lines || _files
}
if [[ "\${funcstack[1]}" = _causeway ]]; then _causeway "$@"; else compdef _causeway causeway; fi`,
  fish: `function __causeway
  set -l found (causeway completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  test -n "$found"; and printf '%s\\n' $found; or __fish_complete_path (commandline -ct)
end
complete -c causeway -f -a '(__causeway)'`,
};

const shells = Object.keys(scripts);

/** `causeway completion <shell>` prints a script; `completion words -- …` prints candidates for it. */
export function runCompletion(
  args: readonly string[],
  starts: readonly Start[],
  commands: readonly CommandDescription[],
): string {
  const [shell = '', separator, ...words] = args;
  if (shell === 'words' && separator === '--') {
    const found = complete(words, starts, commands);
    return found.map(([word, about]) => (about ? `${word}\t${about}` : word)).join('\n');
  }
  const script = args.length === 1 ? scripts[shell] : undefined;
  if (script === undefined)
    throw new UsageFault(`Name a shell: ${shells.join(', ')}. See: causeway completion --help`);
  return script;
}

/** Candidates for the last of the words, which may be empty or `--flag=value`. */
export function complete(
  words: readonly string[],
  starts: readonly Start[],
  commands: readonly CommandDescription[],
): Candidate[] {
  const [prefix = ''] = flagForm.exec(words.at(-1) ?? '') ?? [];
  const split = words.flatMap(splitFlag);
  // After `--flag=`, bash has the equals sign as the word that is typed.
  if (words.at(-1) === '=') split.push('');
  const typed = split.at(-1) ?? '';
  return candidatesFor(split, starts, commands)
    .filter(([word]) => word.startsWith(typed))
    .map(([word, about]) => [prefix + word, about]);
}

const flagForm = /^--[^=]+=/;

/** `--flag=value` as two words; bash splits it itself, and has the equals sign between them. */
function splitFlag(word: string): string[] {
  const [flag] = flagForm.exec(word) ?? [];
  if (flag) return [flag.slice(0, -1), word.slice(flag.length)];
  return word === '=' ? [] : [word];
}

function candidatesFor(
  words: readonly string[],
  starts: readonly Start[],
  commands: readonly CommandDescription[],
): Candidate[] {
  const [first = '', second = '', ...rest] = words;
  if (words.length <= 1) return firstWords(starts, commands);
  const start = starts.find(({ name }) => name === first);
  if (start) return argumentsOfStart(start, words.slice(1));
  const alone = commands.find(({ name }) => name === first);
  if (alone) return argumentsOf(alone, words.slice(1));
  const ofFeature = commands.filter(({ name }) => name.startsWith(`${first}.`));
  if (words.length === 2)
    return ofFeature.map(({ name, summary }) => [name.slice(first.length + 1), summary]);
  const command = ofFeature.find(({ name }) => name === `${first}.${second}`);
  return command ? argumentsOf(command, rest) : [];
}

function firstWords(starts: readonly Start[], commands: readonly CommandDescription[]): Candidate[] {
  const alone = commands.filter(({ name }) => !name.includes('.'));
  const others = commands.filter((command) => !alone.includes(command));
  const features = [...new Set(others.map(({ name }) => name.split('.')[0]!))];
  return [
    ...[...starts, ...alone].map(({ name, summary }) => [name, summary] as const),
    ...features.map((feature) => [feature, `commands of ${feature}`] as const),
    help,
    ['--version', 'print the version'],
  ];
}

const help: Candidate = ['--help', 'show help'];

/** `--roles api,worker` of a start's help is the flag `--roles`. */
const toFlag = ([usage, about]: [string, string]): Candidate => [usage.split(' ')[0]!, about];

/** After a word that has values, its values; otherwise flags that are not given yet. */
function argumentsOfStart({ flags, values = {} }: Start, words: readonly string[]): Candidate[] {
  const before = words.at(-2);
  const known = before === undefined ? undefined : values[before];
  if (known) return known.map((value) => [value, '']);
  const given = words.slice(0, -1);
  return [...Object.entries(flags).map(toFlag), help].filter(([word]) => !given.includes(word));
}

function argumentsOf(command: CommandDescription, words: readonly string[]): Candidate[] {
  const { options, fieldOf } = optionsOf(command);
  const properties = propertiesOf(command);
  const before = words.at(-2)?.replace(/^--/, '') ?? '';
  if (words.at(-2)?.startsWith('--') && options[before]?.type === 'string')
    return choicesOf(properties[fieldOf.get(before) ?? ''] ?? {}).map((value) => [value, '']);
  const used = new Set(words.slice(0, -1).map((word) => fieldOf.get(word.replace(/^--/, '')) ?? word));
  const fields = Object.entries(properties).filter(([field]) => !used.has(field));
  const others = Object.keys(options).filter((name) => !fieldOf.has(name) && !used.has(`--${name}`));
  return [
    ...fields.map(([field, { description = '' }]) => [flagOf(field), description] as const),
    ...others.map((name) => [`--${hyphenated(name)}`, ''] as const),
    help,
  ];
}
