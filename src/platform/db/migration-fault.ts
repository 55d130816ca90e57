import { StartupError } from '../errors/startup-error.ts';

/** The schema cannot be brought up, or is not the one that this release knows. */
export class MigrationFault extends StartupError {}
