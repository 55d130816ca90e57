-- Why: 0046 added this constraint without reading the rows.
alter table integrations validate constraint integrations_purposes_pt_check;
