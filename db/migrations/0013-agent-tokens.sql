-- Agent tokens: a program acts for the owner of its token, with fewer rights.

create table identity.agent_token (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  permissions text[] not null,
  -- The clients that every right is limited to. Null: all that the owner can reach.
  client_ids uuid[],
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  last_used_from text,
  primary key (team_id, id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create index agent_token_user on identity.agent_token (company_id, user_id, id desc);
create index agent_token_company on identity.agent_token (company_id, id desc);

-- The secrets of a token: the current one, and earlier ones until their overlap ends. A revoked token has none.
create table identity.agent_token_secret (
  company_id uuid not null,
  team_id uuid not null,
  token_id uuid not null,
  -- A part of the text of the token, which is not secret.
  lookup_id text not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  -- The end of the overlap. Null: the current secret, which ends with the token.
  ends_at timestamptz,
  primary key (team_id, token_id, lookup_id),
  foreign key (team_id, token_id) references identity.agent_token (team_id, id) on delete cascade
);
create unique index agent_token_secret_lookup on identity.agent_token_secret (lookup_id);
create index agent_token_secret_end on identity.agent_token_secret (ends_at) where ends_at is not null;

do $$
declare
  name text;
begin
  foreach name in array array['agent_token', 'agent_token_secret'] loop
    execute format('alter table identity.%I enable row level security', name);
    execute format('create policy company on identity.%I to memory_service
      using (company_id = (select memory.claimed_company())
        and ((select memory.claimed_team()) is null or team_id = (select memory.claimed_team())))', name);
  end loop;
end $$;
grant select, insert, delete, update (revoked_at) on identity.agent_token to memory_service;
-- The service's role cannot read the hashes, as those of sessions.
grant insert, delete, update (ends_at) on identity.agent_token_secret to memory_service;
grant select (company_id, team_id, token_id, lookup_id, created_at, ends_at) on identity.agent_token_secret
  to memory_service;

-- The token with which a record was made, from the claims of the transaction, so that no statement can omit it.
alter table memory.source add column created_by_token uuid default memory.claimed_token();
alter table memory.import add column created_by_token uuid default memory.claimed_token();
alter table memory.capture add column created_by_token uuid default memory.claimed_token();
alter table memory.memory_item add column created_by_token uuid default memory.claimed_token();
alter table memory.workspace_version add column updated_by_token uuid default memory.claimed_token();
alter table memory.audit_event add column token_id uuid default memory.claimed_token();
drop policy appends on memory.audit_event;
create policy appends on memory.audit_event for insert to memory_service with check (
  company_id = (select memory.claimed_company()) and actor_id = (select memory.claimed_user())
  and token_id is not distinct from (select memory.claimed_token())
  and (team_id is null or (select memory.claimed_team()) is null or team_id = (select memory.claimed_team())));

-- Functions that have other arguments or results now. They are in db/functions.
drop function if exists identity.resolve_caller(bytea, uuid, int, int, float8);
drop function if exists memory.queue_files(uuid, text[], int);
drop function if exists identity.prune(int, int);
