-- Up to where a replica must have the log of the primary, so that a caller finds there what the caller has changed: the
-- position after the last change of each account. Only functions and the owner read and write it.
create table identity.caller_change (
  company_id uuid not null,
  user_id uuid not null,
  position pg_lsn not null,
  primary key (company_id, user_id),
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
) with (fillfactor = 50);
alter table identity.caller_change enable row level security;
