-- Settings of a Team, and the names of Teams and clients in the form in which they are compared.

alter table identity.team
  -- review: what a caller without Full access publishes waits for a decision.
  add column publish text not null default 'anyone' constraint team_publish_check check (publish in ('anyone', 'review')),
  -- What is done about credentials in new text, if this is stricter than the setting of the deployment.
  add column redaction text constraint team_redaction_check
    check (redaction in ('off', 'flag', 'redact', 'refuse'));

-- Names are folded by foldName in shared/formats/names.ts, because SQL folds some letters in another way. A name that was
-- stored before this migration, or by a process of the older version, is null here until the next start folds it.
alter table identity.team add column folded_name text;
alter table identity.client add column folded_name text;
create unique index team_folded_name on identity.team (company_id, folded_name) where deleted_at is null;
create unique index client_folded_name on identity.client (team_id, folded_name) where state = 'active';
