-- Why: the audit log was one chain, so each audited change waited for the commit of the one before.

-- Heads of the chains 1 to 31. The head of chain 0 stays in `audit_heads`, where calls that began before this
-- release find it. A head is replaced by a row with a higher id, as in 0018.
create table audit_chain_heads (
  chain smallint not null,
  id bigint not null,
  hash bytea not null,
  constraint audit_chain_heads_pkey primary key (chain, id)
);

-- Numbers of rows of all chains. Until the functions of this release are installed, writers count on from the
-- head of chain 0: a million numbers are left for them.
create sequence audit_log_number;
select setval('audit_log_number', coalesce(max(id) + 1000000, 1), max(id) is not null) from audit_log;

alter table audit_log add column chain smallint not null default 0;
