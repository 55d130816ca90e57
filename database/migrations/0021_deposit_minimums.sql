-- Why: transfers below the minimum of their token are not credited, and operators want to know how many there are.

alter table deposit_cursors add column ignored bigint not null default 0;
