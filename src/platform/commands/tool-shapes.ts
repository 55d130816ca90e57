import { type TObject, type TProperties, Type } from 'typebox';
import { parseInstant } from '../values/instant.ts';
import type { NumberedPage } from './cursor-page.ts';

/** An object with exactly these properties: the inputs and outputs of tools, at every depth. */
export function exactObject<P extends TProperties>(properties: P, description?: string): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

/** Start or end of a period in a tool's input; `src/platform/values/instant.ts` reads it. */
export const toolInstant = (description: string) =>
  Type.String({
    maxLength: 40,
    description: `${description} YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant.`,
  });

export const currentPageInput = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  default: 0,
  description: '0 is the first of the pages.',
});

/** Input of tools with pages. */
export const pageInput = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Items per page, at most 100.',
    }),
  ),
  currentPage: Type.Optional(currentPageInput),
};

/** Position of a page. */
export const toolPagination = exactObject({
  currentPage: Type.Integer(),
  pageSize: Type.Integer(),
  totalCount: Type.Integer({ description: 'Number of items on all pages.' }),
  hasNextPage: Type.Boolean(),
});

export function paginate(totalCount: number, { currentPage, pageSize }: NumberedPage) {
  return { currentPage, pageSize, totalCount, hasNextPage: (currentPage + 1) * pageSize < totalCount };
}

/** Present if the page is not the last. */
export const nextArguments = <P extends TProperties>(input: TObject<P>) =>
  Type.Optional(
    exactObject(input.properties, 'Present if there are more pages: the arguments of the next one.'),
  );

/** The same arguments with the next page number, if there is a next page. */
export function nextPageOf<Arguments extends { currentPage?: number }>(
  given: Arguments,
  hasNextPage: boolean,
): { nextArguments?: Arguments } {
  if (!hasNextPage) return {};
  return { nextArguments: { ...given, currentPage: (given.currentPage ?? 0) + 1 } };
}

/**
 * Arguments whose list ends where the caller said, but from the first page on at the time of the call, so
 * that new items do not shift later pages. Items of the page that are ahead of our clock stay in the list.
 */
export function pinEnd<
  Field extends 'endDate' | 'asOf',
  Arguments extends { currentPage?: number } & { [F in Field]?: string },
>(given: Arguments, field: Field, { now, newest }: { now: Date; newest: Date | undefined }): Arguments {
  if ((given.currentPage ?? 0) > 0) return given;
  // PostgreSQL has microseconds, a `Date` has milliseconds.
  const end = newest && newest >= now ? new Date(newest.getTime() + 1) : now;
  const asked = given[field] === undefined ? undefined : parseInstant(given[field], 'end');
  // The month that has just begun ends in the future.
  if (asked && asked <= end) return given;
  return { ...given, [field]: end.toISOString() };
}
