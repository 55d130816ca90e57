import { type Static, Type } from 'typebox';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import type { PersonRow } from './queries/people.ts';
import { personKinds } from './staff-roles.ts';

export const person = Type.Object({
  id: uuid,
  kind: Type.Enum([...personKinds]),
  partnerId: nullable(uuid),
  integrationId: nullable(uuid),
  role: Type.String(),
  name: Type.String(),
  email: Type.String(),
  canSignIn: Type.Boolean({ description: 'False until the invitation is used' }),
  createdAt: dateTime,
  removedAt: nullable(dateTime),
});

export type PersonView = Static<typeof person>;

export const presentPerson = ({ createdAt, removedAt, ...row }: PersonRow): PersonView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  removedAt: removedAt?.toISOString() ?? null,
});

export const invited = Type.Object({
  person,
  url: Type.String({ description: 'Shown only once; send it to the person, and to nobody else.' }),
  expiresAt: dateTime,
});

export type Invited = Static<typeof invited>;

const bytes = (lengthMax: number) => Type.String({ minLength: 1, maxLength: lengthMax });
const credential = { id: bytes(1400), rawId: bytes(1400), type: Type.Literal('public-key') };
const extensions = Type.Object({}, { additionalProperties: true });

/** `PublicKeyCredential.toJSON()` of a new passkey, without what we do not read. */
export const registration = Type.Object(
  {
    ...credential,
    clientExtensionResults: extensions,
    response: Type.Object(
      {
        clientDataJSON: bytes(4000),
        attestationObject: bytes(20_000),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
      },
      closed,
    ),
  },
  closed,
);

export type Registration = Static<typeof registration>;

/** The same of an assertion. */
export const assertion = Type.Object(
  {
    ...credential,
    clientExtensionResults: extensions,
    response: Type.Object(
      {
        clientDataJSON: bytes(4000),
        authenticatorData: bytes(4000),
        signature: bytes(4000),
        userHandle: Type.Optional(Type.String({ maxLength: 200 })),
      },
      closed,
    ),
  },
  closed,
);

export type Assertion = Static<typeof assertion>;
