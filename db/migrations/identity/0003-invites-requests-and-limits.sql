-- What lets people in and out: invites and invitations, access requests, the end of a Team, and limits on tries.

-- A UUIDv7 (RFC 9562): the time in milliseconds, then random bits. For rows that lists page through, newest
-- first, and that have no id of their own.
create function identity.new_id(p_at timestamptz default clock_timestamp()) returns uuid
language sql volatile set search_path = pg_catalog, pg_temp
return encode(
  set_byte(set_byte(
    overlay(uuid_send(gen_random_uuid())
            placing substring(int8send(floor(extract(epoch from p_at) * 1000)::bigint) from 3)
            from 1 for 6),
    6, (112 | (get_byte(uuid_send(gen_random_uuid()), 6) & 15))),
    8, (128 | (get_byte(uuid_send(gen_random_uuid()), 8) & 63))), 'hex')::uuid;

do $$
declare name text;
begin
  foreach name in array array['team_member', 'client_grant', 'company_grant'] loop
    execute format('alter table identity.%I add column id uuid', name);
    execute format('update identity.%I set id = identity.new_id(created_at)', name);
    execute format('alter table identity.%I alter column id set default identity.new_id(),
                      alter column id set not null', name);
  end loop;
end $$;
create index client_grant_user on identity.client_grant (team_id, user_id);
create index company_grant_user on identity.company_grant (company_id, user_id);

-- A Team that was deleted does not exist for anyone. Its row stays, as what a job goes by that removes all that
-- the Team held, slice by slice: in one statement that could outlast any time-out.
alter table identity.team add column deleted_at timestamptz;

-- An invite into a Team, or without one the invitation to become a Company Admin.
create table identity.invite (
  company_id uuid not null,
  id uuid not null,
  team_id uuid,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  -- [{ "clientId", "access" }]: granted with the role
  grants jsonb not null default '[]',
  token_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id) references identity.company (id) on delete cascade,
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade
);
create unique index invite_token on identity.invite (token_hash);
-- A new one to an email takes the place of the open one. Ended ones are marked before, expired ones too.
create unique index invite_open on identity.invite (company_id, team_id, email) nulls not distinct
  where used_at is null and revoked_at is null;
create index invite_creator on identity.invite (company_id, created_by)
  where used_at is null and revoked_at is null;
create index invite_team on identity.invite (company_id, team_id, id desc);

-- One that was withdrawn or replaced after it had expired, had expired.
create function identity.invite_state(i identity.invite) returns text language sql stable
return case when i.used_at is not null then 'used'
            when i.expires_at <= coalesce(i.revoked_at, now()) then 'expired'
            when i.revoked_at is not null then 'revoked' else 'open' end;

-- A Company Admin asks for access to a Team.
create table identity.access_request (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  team_id uuid not null,
  access text not null check (access in ('full', 'read')),
  reason text,
  state text not null default 'open' check (state in ('open', 'approved', 'denied')),
  decided_by uuid,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create unique index access_request_open on identity.access_request (company_id, user_id, team_id)
  where state = 'open';

alter table identity.invite enable row level security;
alter table identity.access_request enable row level security;
grant select, insert, update, delete on identity.invite, identity.access_request to memory_service;

-- What belongs to one Team of the Company, a transaction of another Team does not see.
do $$
declare name text;
begin
  foreach name in array array['team', 'client', 'team_member', 'client_grant', 'company_grant', 'invite',
                              'access_request'] loop
    execute format('drop policy if exists company on identity.%I', name);
    execute format('create policy company on identity.%I to memory_service
      using (company_id = (select memory.claimed_company())
        and ((select memory.claimed_team()) is null or %I = (select memory.claimed_team())))',
      name, case name when 'team' then 'id' else 'team_id' end);
  end loop;
end $$;

-- Every Team has its row of counts, whoever makes it.
create function identity.count_new_team() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into keyword_team (team_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger counted after insert on identity.team for each row execute function identity.count_new_team();

create or replace function identity.describe(p_user uuid, p_team uuid) returns jsonb
language plpgsql stable set search_path = identity, pg_temp
as $$
declare
  who account;
  teams jsonb;
  selected uuid;
begin
  select a.* into who from account a where a.id = p_user and a.closed_at is null;
  if not found then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'state', t.state, 'role', m.role,
           'grant', case when who.role = 'admin' then g.access end) order by t.id), '[]')
    into teams
    from team t
    left join team_member m on m.team_id = t.id and m.user_id = who.id
    left join company_grant g on g.company_id = t.company_id and g.team_id = t.id and g.user_id = who.id
   where t.company_id = who.company_id and t.deleted_at is null
     and (who.role = 'owner' or m.role is not null or (who.role = 'admin' and g.access is not null));
  if p_team is not null then
    selected := (select (t ->> 'id')::uuid from jsonb_array_elements(teams) t where (t ->> 'id')::uuid = p_team);
  elsif jsonb_array_length(teams) = 1 then
    selected := (teams -> 0 ->> 'id')::uuid;
  end if;
  return jsonb_build_object(
    'userId', who.id, 'email', who.email, 'name', who.name, 'companyRole', who.role,
    'companyId', who.company_id, 'companyName', (select c.name from company c where c.id = who.company_id),
    'teams', teams, 'selectedTeamId', selected,
    'clients', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'grant', g.access) order by c.id)
        from client c
        left join client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = who.id
       where c.team_id = selected and c.state = 'active'), '[]'));
end $$;

-- The invite or invitation of a token.
create function identity.find_invite(p_token_hash bytea)
returns table (id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text)
language sql stable security definer set search_path = identity, pg_temp
begin atomic
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants, identity.invite_state(i)
    from identity.invite i left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where i.token_hash = p_token_hash and t.deleted_at is null;
end;

-- Removes the next p_limit rows of what the claimed Team held, once it was deleted. True: nothing is left.
create function identity.purge_team(p_limit int) returns boolean
language plpgsql volatile security definer set search_path = identity, memory, public, pg_temp
as $$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_gone int;
begin
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  -- Imports first: a job that is waiting then finds nothing to do. Chunks take their numbers with them.
  foreach v_table in array array['memory.import', 'memory.chunk', 'memory.source', 'memory.keyword_df',
                                 'memory.idempotency_key', 'memory.embedding_batch']::regclass[] loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))',
                   v_table) using v_team, p_limit;
    get diagnostics v_gone = row_count;
    if v_gone > 0 then
      return false;
    end if;
  end loop;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $$;

-- Counts of requests and of failed passwords, over all API processes. Unlogged: counting waits for no disk, and
-- a crash forgets no more than the last minutes. Keys are hashes: no address and no email stands here.
create unlogged table identity.request_count (
  key bytea primary key,
  ends_at timestamptz not null,
  requests int not null
);
create index request_count_end on identity.request_count (ends_at);
create unlogged table identity.failed_password (
  key bytea primary key,
  -- of the failures that count, oldest first
  at timestamptz[] not null,
  -- whether the last one came when there were too many already
  refused boolean not null default false
);

-- Removes invites a month after their end, as reset links, and the counts that count no more.
create function identity.prune_invites(p_password_seconds int) returns int
language sql volatile security definer set search_path = identity, pg_temp
begin atomic
  delete from identity.request_count r where r.ends_at < now();
  delete from identity.failed_password f
   where f.at[cardinality(f.at)] < now() - make_interval(secs => p_password_seconds);
  with gone as (delete from identity.invite i where i.expires_at < now() - interval '30 days' returning 1)
  select count(*)::int from gone;
end;

revoke execute on all functions in schema identity from public;
grant execute on function identity.new_id(timestamptz), identity.invite_state(identity.invite), identity.find_invite(bytea),
  identity.purge_team(int), identity.prune_invites(int) to memory_service;
