-- Why: an operator can suspend a user: the user's keys and sessions are refused, and unsigned payouts wait.
alter table users add column suspended_at timestamptz, add column suspended_reason text;
