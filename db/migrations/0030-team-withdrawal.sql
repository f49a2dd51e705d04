-- Up to where a replica must have the log of the primary, so that nobody finds there what was withdrawn from a Team: the
-- position after the last change of each Team that archived, deleted or moved something. Only functions and the owner read
-- and write it.
create table identity.team_withdrawal (
  company_id uuid not null,
  team_id uuid not null,
  position pg_lsn not null,
  primary key (team_id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade
) with (fillfactor = 50);
alter table identity.team_withdrawal enable row level security;
