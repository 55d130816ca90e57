-- Why: a card says why it is locked or canceled. Only versions have it: processes of the release before
-- change the status of a card without it, and their versions then have none.
alter table card_versions add column status_reason text;
