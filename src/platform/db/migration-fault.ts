import { StartupError } from '../errors/startup-error.ts';

/** The schema cannot be migrated, or this release does not know it. */
export class MigrationFault extends StartupError {}
