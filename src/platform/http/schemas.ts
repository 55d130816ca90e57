import { Type } from 'typebox';

/** No other fields. */
export const closed = { additionalProperties: false } as const;

/** Refuses any query parameter: ignoring one could mislead the caller. */
export const noQuery = Type.Object({}, closed);

/** The spelling in which ids are stored and returned. */
export const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The canonical spelling only: `format: uuid` also accepts `urn:uuid:`. */
export const uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'UUID, canonical form',
});

/** The hash of a transaction as it is stored and returned. */
export const transactionHashForm = /^0x[0-9a-f]{64}$/;

/** The same from a caller, who may write its digits in either case. */
export const transactionHash = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' });

/** The same where people paste it: the `x` may be a capital, too. */
export const pastedTransactionHash = Type.String({ pattern: '^0[xX][0-9a-fA-F]{64}$' });

/**
 * One line of text that a person typed: no control characters, and none that reorder the text around them,
 * which would show another text than the one that is stored.
 */
export const line = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$',
  });

export const dateTime = Type.String({ format: 'date-time' });

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(
  schema: T,
  options: { description?: string } = {},
) => Type.Union([schema, Type.Null()], options);
