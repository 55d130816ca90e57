-- Why: check the types of the logos that were stored before 0073.
alter table integration_logos validate constraint integration_logos_type_check;
