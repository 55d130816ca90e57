-- Why: deposits are found on chain; this is how far each network was read, and what was found there.

create table deposit_cursors (
  network text primary key check (network ~ '^[a-z0-9-]{1,40}$'),
  -- The first block that was not read. It moves in the transaction that posts what was found up to it.
  next_block bigint not null check (next_block >= 0),
  -- Of the block before it, as it was read: if it is another one now, the chain changed where it should not. Null where an
  -- operator has put the cursor there.
  last_hash text check (last_hash ~ '^0x[0-9a-f]*$' and length(last_hash) = 66),
  last_block_at timestamptz,
  posted bigint not null default 0,
  -- When a worker last took the next blocks to read them: others leave them alone for a moment.
  claimed_at timestamptz,
  -- Set when the chain changed below what counts as final: nothing is posted until an operator has looked.
  halted_at timestamptz,
  halted_reason text,
  updated_at timestamptz not null,
  check ((halted_at is null) = (halted_reason is null))
) with (fillfactor = 50);

-- Without its row a network would begin at the newest block, and what lies between would never be read.
create trigger deposit_cursors_no_delete before delete on deposit_cursors for each row execute function refuse_change();

-- What was posted, and where it stood on chain. A reorganisation may mine a transaction again elsewhere, where its logs have other
-- numbers: it is known by what it moved.
create table deposits (
  network text not null,
  transaction_hash text not null check (transaction_hash ~ '^0x[0-9a-f]*$' and length(transaction_hash) = 66),
  log_index integer not null,
  block_number bigint not null,
  user_id uuid not null references users (id),
  wallet text not null check (wallet ~ '^0x[0-9a-f]*$' and length(wallet) = 42),
  currency text not null,
  amount numeric(78, 0) not null check (amount > 0 and amount <> 'NaN'),
  primary key (network, transaction_hash, log_index)
);
create index deposits_by_block on deposits (network, block_number);
create trigger deposits_append_only before update or delete on deposits for each row execute function refuse_change();
create trigger deposits_no_truncate before truncate on deposits for each statement execute function refuse_change();
