import { Type } from 'typebox';

/** The spelling under which an id is stored and given out. */
export const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The canonical spelling only: `format: uuid` would also take `urn:uuid:`. */
export const uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'UUID, canonical form',
});

/** One line of text a person typed: no control characters. */
export const line = (lengthMax: number) =>
  Type.String({ minLength: 1, maxLength: lengthMax, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

export const dateTime = Type.String({ format: 'date-time' });

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
