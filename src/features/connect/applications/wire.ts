import { type Static, Type } from 'typebox';
import { scopeList, termFields } from '#features/connect/integrations';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { type ApplicationRow, applicationStatuses } from './application.ts';

/** What the page of an application sends, by the same schemas as `integrations.register`. */
export const applicationBody = Type.Object(
  {
    ...termFields,
    scopes: scopeList,
    applicantName: line(200),
    applicantEmail: Type.String({ minLength: 3, maxLength: 254 }),
    logo: Type.Optional(nullable(Type.String({ contentEncoding: 'base64' }))),
  },
  closed,
);

export const applicationView = Type.Object({
  id: uuid,
  status: Type.Enum([...applicationStatuses]),
  name: Type.String(),
  logoColor: Type.String(),
  logoSha256: nullable(Type.String(), { description: 'Hash of the logo as we show it' }),
  purposes: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  redirectUris: Type.Array(Type.String()),
  homepageUrl: nullable(Type.String()),
  privacyUrl: nullable(Type.String()),
  applicantName: Type.String(),
  applicantEmail: Type.String({ description: 'As typed by the applicant; nobody verified it' }),
  createdAt: dateTime,
  expiresAt: dateTime,
  endedAt: nullable(dateTime),
  reason: nullable(Type.String(), { description: 'Why it was refused' }),
  integrationId: nullable(uuid),
  personId: nullable(uuid, { description: 'The first owner, if it was approved' }),
});

export type ApplicationView = Static<typeof applicationView>;

export const presentApplication = ({
  createdAt,
  expiresAt,
  endedAt,
  ...row
}: ApplicationRow): ApplicationView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
});
