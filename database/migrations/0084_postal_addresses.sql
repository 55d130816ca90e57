-- Why: a bank compares the holder's address on a statement.
alter table users add column postal_address text;
