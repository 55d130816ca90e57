import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, line, uuid } from '#platform/http/schemas';
import { applicationStatuses } from './application.ts';
import { approveApplication, refuseApplication } from './decide-application.ts';
import { listApplications } from './list-applications.ts';
import { showApplication } from './show-application.ts';
import { applicationView } from './wire.ts';

const applicationId = Type.With(uuid, {
  description: 'Id of the application, as integrations applications has it',
});
const example = '0198a6a0-0000-7000-8000-000000000001';

/** What developers applied for at `/developers/apply`. */
export const applicationCommands = [
  defineCommand({
    name: 'integrations.applications',
    summary: 'List what developers applied for at /developers/apply, newest first.',
    changes: false,
    roles: everyone,
    columns: ['status', 'id', 'name', 'scopes', 'applicantEmail', 'createdAt'],
    input: Type.Object(
      {
        status: Type.Optional(
          Type.Enum([...applicationStatuses], { description: 'Only applications in this status' }),
        ),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(applicationView),
    run: (ctx: Ctx, input) => listApplications(ctx, input),
  }),
  defineCommand({
    name: 'integrations.show-application',
    summary: 'Show what a developer applied for.',
    changes: false,
    roles: everyone,
    positional: ['applicationId'],
    examples: [example],
    input: Type.Object({ applicationId }, closed),
    output: applicationView,
    run: (ctx: Ctx, input) => showApplication(ctx, input),
  }),
  defineCommand({
    name: 'integrations.approve',
    summary:
      'Make an integration as it was applied for, with the applicant as its first owner, who makes the key.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    positional: ['applicationId'],
    examples: [example],
    input: Type.Object({ applicationId }, closed),
    output: applicationView,
    run: (ctx: Ctx, input) => approveApplication(ctx, input),
  }),
  defineCommand({
    name: 'integrations.refuse',
    summary: 'Refuse an application; the applicant reads the reason.',
    changes: true,
    roles: adminOnly,
    positional: ['applicationId'],
    examples: [`${example} --reason 'The privacy policy does not name us'`],
    input: Type.Object(
      { applicationId, reason: Type.With(line(500), { description: 'Shown to the applicant' }) },
      closed,
    ),
    output: applicationView,
    run: (ctx: Ctx, input) => refuseApplication(ctx, input),
  }),
];
