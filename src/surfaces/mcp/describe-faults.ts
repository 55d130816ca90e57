import type { TLocalizedValidationError } from 'typebox/error';
import { describeForm } from '#platform/http/forms';
import { sanitizeText } from '#platform/values/sanitize-text';

const faultsMax = 10;

/** Faults of arguments, each with its field and how to fix it, for a model. Values are never repeated. */
export function describeFaults(
  tool: string,
  errors: readonly TLocalizedValidationError[],
  known: readonly string[],
): string {
  const faults = [...new Set(errors.flatMap((error) => describe(error, known)))];
  const more = faults.length > faultsMax ? [`and ${faults.length - faultsMax} more`] : [];
  return `Invalid arguments for ${tool}: ${[...faults.slice(0, faultsMax), ...more].join('; ')}.`;
}

function describe(error: TLocalizedValidationError, known: readonly string[]): string[] {
  const field = fieldOf(error.instancePath);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => `${join(field, name)} is required`);
    case 'additionalProperties': {
      const advice = field === '' ? knownNames(known) : 'leave it out';
      return error.params.additionalProperties.map(
        (name) => `unknown argument ${join(field, sanitizeText(name, 60) || '""')}: ${advice}`,
      );
    }
    // These repeat what another fault of the same field says better.
    case 'boolean':
    case 'anyOf':
      return [];
    case 'enum':
      return [`${field} must be one of ${error.params.allowedValues.join(', ')}`];
    case 'type':
      // The null half of a nullable field: mentioning it would invite the model to clear the field.
      if (error.params.type === 'null') return [];
      return [`${field || 'arguments'} ${error.message}`];
    default:
      return [`${field || 'arguments'} ${describeForm(error.keyword, error.params) ?? error.message}`];
  }
}

const fieldOf = (path: string) => sanitizeText(path.split('/').slice(1).join('.'), 100);
const join = (field: string, name: string) => (field === '' ? name : `${field}.${name}`);
const knownNames = (known: readonly string[]) =>
  known.length === 0 ? 'the tool takes no arguments' : `the arguments are ${known.join(', ')}`;
