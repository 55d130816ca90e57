import { sessionLifetimeMs } from '#features/connect/sessions';
import { defineSessionCookie } from '#platform/pages/session-cookie';

export const userCookie = defineSessionCookie('causeway_session', sessionLifetimeMs);
