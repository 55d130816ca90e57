import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import { commonErrors, DatabaseUnavailable, type Detail, Refusal } from '../errors/errors.ts';
import { describeForm } from './forms.ts';

/** Any error as a refusal that may be shown to the caller. Internal errors become `Internal error`. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseUnavailable) {
    return commonErrors.unavailable({ cause: error, headers: { 'retry-after': '2' } });
  }
  const { validation, validationContext, statusCode = 500, code } = error as Partial<FastifyError>;
  if (validation) return validationRefusal(validation, validationContext);
  switch (statusCode) {
    case 413:
      return commonErrors.bodyTooLarge();
    case 415:
      return commonErrors.unsupportedMediaType();
    case 404:
      return commonErrors.notFound();
    case 503:
      return commonErrors.unavailable({ headers: { 'retry-after': '2' } });
  }
  if (statusCode < 500) {
    return commonErrors.invalidRequest({ message: frameworkMessages[code ?? ''] ?? 'Invalid request' });
  }
  return commonErrors.internalError({ cause: error });
}

const frameworkMessages: Record<string, string> = {
  FST_ERR_BAD_URL: 'Path is not valid UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'Path is too long',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Body does not have the length that Content-Length says',
};

const detailsMax = 20;

function validationRefusal(faults: FastifySchemaValidationError[], where = 'body'): Refusal {
  // A fault of one half of a union repeats what the fault of the other half says better.
  const plain = faults.filter(({ keyword, params }) => keyword !== 'anyOf' && params.type !== 'null');
  const shown = plain.length > 0 ? plain : faults;
  const details = shown.slice(0, detailsMax).map((fault) => describeFault(fault, where));
  const [first] = details;
  const isUnknown = shown[0]?.keyword === 'additionalProperties';
  return commonErrors.invalidRequest({
    message: first && (isUnknown ? `Unknown field: ${first.field}` : `${first.field} ${first.message}`),
    details,
  });
}

function describeFault(
  { instancePath, keyword, params, message }: FastifySchemaValidationError,
  where: string,
): Detail {
  const path = instancePath.split('/').slice(1);
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  const field = path.length > 0 ? path.join('.').slice(0, 100) : where;
  return { field, message: describeKeyword(keyword, params) ?? message ?? 'is not valid' };
}

function describeKeyword(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is unknown';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'const')
    return params.allowedValue === '' ? 'must be empty' : `must be ${String(params.allowedValue)}`;
  return describeForm(keyword, params);
}
