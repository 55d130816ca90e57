export type { ApplicationRow, NewApplication } from './application.ts';
export { applyForIntegration, checkApplication } from './apply.ts';
export { applicationCommands } from './commands.ts';
export { applicationErrors } from './errors.ts';
export { findApplication } from './find-application.ts';
export { applicationGauges } from './gauges.ts';
export { applicationJobs } from './jobs.ts';
export { isOffered, openInvitation } from './open-invitation.ts';
export { applicationBody } from './wire.ts';
