-- Why: operators see which request made a withdrawal. Rows from before have neither.
alter table withdrawals add column caller_address text, add column request_id uuid;
