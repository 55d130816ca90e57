import type { ConsentScope, NewIntegration } from '#features/connect/integrations';

export const applicationStatuses = ['open', 'approved', 'refused', 'expired'] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** What somebody asks for: the terms of an integration, and who they are. */
export interface NewApplication extends Omit<NewIntegration, 'purposesPt'> {
  applicantName: string;
  applicantEmail: string;
  /** A file in base64. */
  logo?: string | null;
}

/** What is stored of it; of the logo, a new file. */
export type CheckedApplication = Omit<NewApplication, 'logo'> & { logo: Buffer | null };

export interface ApplicationRow {
  id: string;
  status: ApplicationStatus;
  name: string;
  logoColor: string;
  logoSha256: string | null;
  purposes: string[];
  scopes: ConsentScope[];
  redirectUris: string[];
  homepageUrl: string | null;
  privacyUrl: string | null;
  applicantName: string;
  applicantEmail: string;
  createdAt: Date;
  expiresAt: Date;
  endedAt: Date | null;
  reason: string | null;
  integrationId: string | null;
  personId: string | null;
}
