import type { Prompt } from '#platform/commands/prompt';
import { Refusal } from '#platform/errors/errors';
import { isObject } from '#platform/values/is-object';
import { sanitizeText } from '#platform/values/sanitize-text';
import { mcpErrors } from './errors.ts';
import type { JsonObject } from './message.ts';

/** The line of `prompts/list`. */
export const presentPrompt = ({ name, title, description, arguments: asked }: Prompt) => ({
  name,
  title,
  description,
  ...(asked.length > 0 && { arguments: asked }),
});

/** The result of `prompts/get`: one message of the person. */
export function getPrompt(prompts: readonly Prompt[], { name, arguments: args = {} }: JsonObject, now: Date) {
  if (typeof name !== 'string') {
    throw mcpErrors.invalidParams({ message: 'params.name must be the name of a prompt' });
  }
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw mcpErrors.unknownPrompt({ message: `Unknown prompt: ${sanitizeText(name, 100)}` });
  const text = writePrompt(prompt, readArguments(prompt, args), now);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

const lengthMax = 500;
/** Who sends hundreds of unknown arguments gets a short answer as well. */
const faultsMax = 3;

function readArguments({ name, arguments: asked }: Prompt, args: unknown): Record<string, string> {
  if (!isObject(args)) throw mcpErrors.invalidParams({ message: 'params.arguments must be an object' });
  const faults = [
    ...asked
      .filter(({ name, required }) => required && (args[name] === undefined || args[name] === ''))
      .map(({ name, description }) => `${name} is required: ${description}`),
    ...Object.entries(args).flatMap(([key, value]) => describeFault(asked, key, value)),
  ];
  if (faults.length > 0) {
    const more = faults.length > faultsMax ? [`And ${faults.length - faultsMax} more.`] : [];
    const said = [...faults.slice(0, faultsMax), ...more].join(' ');
    throw mcpErrors.invalidParams({ message: `Invalid arguments for ${name}: ${said}` });
  }
  return args as Record<string, string>;
}

function describeFault(asked: Prompt['arguments'], key: string, value: unknown): string[] {
  if (!asked.some(({ name }) => name === key)) {
    const known = asked.map(({ name }) => name).join(', ');
    const advice = known ? `the arguments are ${known}` : 'the prompt takes no arguments';
    return [`unknown argument ${sanitizeText(key, 60) || '""'}: ${advice}.`];
  }
  if (typeof value !== 'string') return [`${key} must be a string.`];
  return value.length > lengthMax ? [`${key} must have at most ${lengthMax} characters.`] : [];
}

function writePrompt(prompt: Prompt, given: Record<string, string>, now: Date): string {
  try {
    return prompt.write(given, now);
  } catch (error) {
    if (error instanceof Refusal) throw mcpErrors.invalidParams({ message: error.message, cause: error });
    throw error;
  }
}
