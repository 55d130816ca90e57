-- Why: a consent keeps the text that its user read; null if the integration had none in Portuguese.
alter table consents add column purpose_pt text;
