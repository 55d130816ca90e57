-- Why: users read the purpose of a request in their language. By the purpose itself, so that processes of the
-- release before, which change only `purposes`, cannot leave a translation of something else.
alter table integrations add column purposes_pt jsonb not null default '{}';
