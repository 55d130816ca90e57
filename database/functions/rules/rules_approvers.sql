-- Returns who approved a withdrawal under a set of rules and may still do so: staff who are not removed,
-- whose passkey still exists, and who neither asked for it nor issued the key that did. `roles` are those
-- they count for.
-- Called by: `rules_ruling`, `src/features/rules/approvals/queries.ts`,
-- `src/features/approvals/payments/queries.ts`.
-- Locks: nothing.
-- Costs: the approvals of one withdrawal, each with its person and passkey by primary key.
create or replace function rules_approvers(of_withdrawal uuid, of_revision integer)
returns table (person_id uuid, roles text[], credential_id bytea, public_key bytea, client_data bytea,
  authenticator_data bytea, signature bytea) language sql stable as $$
  select p.id, rules_roles_of(p.role), a.credential_id, k.public_key, a.client_data, a.authenticator_data,
    a.signature
  from rule_approvals a
  join withdrawals w on w.id = a.withdrawal_id
  join people p on p.id = a.person_id and p.removed_at is null
  join person_passkeys k on k.credential_id = a.credential_id and k.person_id = p.id
  where a.withdrawal_id = of_withdrawal and a.revision = of_revision and a.decision = 'approve'
    and (p.kind = 'operator' or p.partner_id = w.partner_id)
    and w.key_id <> 'person:' || p.id
    and not exists (select from api_keys i where i.id = w.key_id and i.issued_by = p.id)
$$;
