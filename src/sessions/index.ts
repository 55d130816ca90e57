export { sessionCommands } from './commands.ts';
export { csrfTokenOf, isCsrfTokenOf } from './csrf.ts';
export { endSession } from './end-session.ts';
export { sessionErrors } from './errors.ts';
export { findSession, type Session } from './find-session.ts';
export { sessionJobs } from './jobs.ts';
export { makeSignInLink } from './make-sign-in-link.ts';
export { isOwnPage } from './return-to.ts';
export { sessionLifetimeMs, useSignInLink } from './use-sign-in-link.ts';
