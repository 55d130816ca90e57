export { sessionCommands } from './commands.ts';
export { endSession } from './end-session.ts';
export { findSession, type Person, type Session } from './find-session.ts';
export { findSignInLink } from './find-sign-in-link.ts';
export { sessionJobs } from './jobs.ts';
export { makeSignInLink } from './make-sign-in-link.ts';
export { isOwnPage } from './return-to.ts';
export { sessionLifetimeMs, useSignInLink } from './use-sign-in-link.ts';
