import type { StaffRole } from '#features/keys';

/** Who among a partner's people pays. */
export const creators: readonly StaffRole[] = ['finance', 'owner'];

/** Who sees what was paid. */
export const readers: readonly StaffRole[] = ['developer', 'finance', 'owner'];
