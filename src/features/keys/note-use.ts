import { useNoter } from '#platform/secrets/note-uses';
import { upsertKeyUse } from './queries.ts';

export const noteUse = useNoter(upsertKeyUse);
