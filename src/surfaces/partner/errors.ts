import { defineErrors } from '#platform/errors/errors';

export const partnerPageErrors = defineErrors({
  notPartnerStaff: [403, 'These pages are for staff of partners'],
});
