-- Why: the withdrawals of a bulk payment share their bulk id. Those of one request are stored by one
-- statement, and the idempotency key of the request, on the first of them, holds for all.
alter table withdrawals drop constraint withdrawals_bulk_key;
