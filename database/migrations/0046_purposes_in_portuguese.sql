-- Why: users read the purpose of a request in their language. In the order of `purposes`; null if there are none.
alter table integrations add column purposes_pt text[];
alter table integrations add constraint integrations_purposes_pt_check
  check (cardinality(purposes_pt) = cardinality(purposes)) not valid;
