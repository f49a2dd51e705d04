-- Workspace files: contents once for each Company, and every version of every path that refers to them.

-- A content, under its own SHA-256. Written before what refers to it, so nothing may refer to it for a while.
create table memory.workspace_blob (
  company_id uuid not null,
  sha256 bytea not null check (length(sha256) = 32),
  bytes int not null,
  content bytea not null,
  -- Since when nothing may refer to it: it was written, or a version of it went. Null once something was seen to.
  waiting_since timestamptz default now(),
  primary key (company_id, sha256)
);
create index workspace_blob_waiting on memory.workspace_blob (waiting_since) where waiting_since is not null;

-- The revision of a Team's workspace. Its row is taken by every push until that is committed, so whoever sees a
-- revision sees all that came before it.
create table memory.workspace_team (
  team_id uuid not null primary key,
  revision bigint not null
);

create table memory.workspace_version (
  team_id uuid not null,
  id uuid not null,
  -- Whose contents they are.
  company_id uuid not null,
  client_id uuid,
  -- The client, or the Team for its own layer: what an index can look up, which `is not distinct from` cannot.
  layer_id uuid not null generated always as (coalesce(client_id, team_id)) stored,
  -- The same for all versions of a path.
  file_id uuid not null,
  -- Within the layer. C: by bytes, whatever the database's own order is.
  path text collate "C" not null,
  -- The path without case, U+0001 for each slash: what lies in a folder comes right behind the folder's own name.
  folded text collate "C" not null,
  -- Its beginning: an index takes at most 2,704 bytes a row. A column of its own, for under row-level security an index
  -- over an expression is passed by: `left` is not leakproof.
  folded_start text collate "C" not null generated always as (left(folded, 500)) stored,
  version int not null check (version > 0),
  revision bigint not null,
  -- The revision that brought the next version; null: this is the current one.
  until_revision bigint,
  -- Of a current version: what the manifest of a layer goes by. That of a Team goes by the revision itself, for the same
  -- reason as below.
  current_revision bigint generated always as (case when until_revision is null then revision end) stored,
  -- Null: the file is deleted.
  sha256 bytea,
  bytes int not null,
  updated_by uuid not null,
  updated_at timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (team_id, id),
  unique (path, layer_id, team_id, version),
  -- A content that anything refers to cannot be removed.
  foreign key (company_id, sha256) references memory.workspace_blob (company_id, sha256),
  check ((until_revision is null) = (superseded_at is null)),
  check (until_revision > revision),
  check (sha256 is not null or bytes = 0)
);
-- No two indexes, here and above, serve the same conditions: without statistics, as after a first sync and for good in the
-- embedded database, a planner takes all that is current in a layer for one row, and would read it by any of them.
create unique index workspace_version_current on memory.workspace_version (path, layer_id, team_id)
  where until_revision is null;
-- The manifest, newest first, of what is current: by layers for who reads few, else by the Team. And of what was current
-- when its first page was read.
create index workspace_version_revision on memory.workspace_version (team_id, layer_id, current_revision, id)
  where current_revision is not null;
create index workspace_version_team_revision on memory.workspace_version (team_id, revision, id)
  where current_revision is not null;
create index workspace_version_until on memory.workspace_version (team_id, until_revision)
  where until_revision is not null;
-- Of a long path it has the beginning, and whoever looks compares the rest.
create index workspace_version_folded on memory.workspace_version (team_id, layer_id, folded_start)
  where until_revision is null and sha256 is not null;
-- With what decides on who may read them: a content may have a hundred thousand versions, each out of reach.
create index workspace_version_content on memory.workspace_version (company_id, sha256, team_id, client_id)
  where sha256 is not null;
-- The order in which pruning goes through the versions of all Teams.
create index workspace_version_superseded on memory.workspace_version (id) where until_revision is not null;

alter table memory.workspace_blob enable row level security;
alter table memory.workspace_team enable row level security;
alter table memory.workspace_version enable row level security;

create policy reads on memory.workspace_version for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.workspace_version to memory_service using (
  team_id = (select memory.claimed_team()) and company_id = (select memory.claimed_company())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy team on memory.workspace_team to memory_service using (team_id = (select memory.claimed_team()));
-- A content is there for who may read a version of it: the policy of the versions applies within this one.
create policy reads on memory.workspace_blob for select to memory_service using (
  company_id = (select memory.claimed_company())
  and exists (select from memory.workspace_version v
               where v.company_id = workspace_blob.company_id and v.sha256 = workspace_blob.sha256
                 and v.team_id = (select memory.claimed_team())));

-- What was written stays: a version only comes to be superseded.
grant select, insert, update (until_revision, superseded_at) on memory.workspace_version to memory_service;
grant select, insert, update (revision) on memory.workspace_team to memory_service;
grant select on memory.workspace_blob to memory_service;

-- Keeps contents for the claimed Company: those that are there are not written again. p_contents holds them one behind
-- the other, p_lengths how long each is: an array of bytea would go over the wire as text of twice the size.
create function memory.keep_workspace_blobs(p_sha256 bytea, p_lengths int[], p_contents bytea) returns void
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  -- In the order of their keys, so that two writers of the same contents never wait for each other.
  insert into workspace_blob as b (company_id, sha256, bytes, content)
    select memory.claimed_company(), c.sha256, c.length, substring(p_contents from c.past + 1 for c.length)
      from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length,
                   (sum(l.length) over (order by l.place) - l.length)::int as past
              from unnest(p_lengths) with ordinality as l (length, place)) c
     order by c.sha256
    on conflict (company_id, sha256) do update set waiting_since = now()
      where b.waiting_since < now() - interval '10 minutes';
end $$;

-- Whatever removes versions, of a pruning or of a deleted Team: their contents are to be looked at. Not at once: a pull
-- that found a version may still be about to read its content.
create function memory.forsake_workspace_blobs() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  -- In the order of their keys, as whoever keeps them takes them: else the two could wait for each other.
  perform from workspace_blob b
    where (b.company_id, b.sha256) in (select g.company_id, g.sha256 from gone g)
    order by b.company_id, b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
    from (select distinct g.company_id, g.sha256 from gone g where g.sha256 is not null) g
   where b.company_id = g.company_id and b.sha256 = g.sha256;
  return null;
end $$;
create trigger forsake after delete on memory.workspace_version referencing old table as gone
  for each statement execute function memory.forsake_workspace_blobs();

-- Removes versions of all Teams beyond the p_keep last before the current one of each file, among the next p_limit of
-- those superseded in the order of their ids: all that are kept are gone through, so this is not for every minute. An hour passes before any goes: a manifest that is being paged shows files
-- as they were at its first page. Returns the last id looked at, null when there are no more.
create function memory.prune_workspace_versions(p_after uuid, p_keep int, p_limit int)
returns table (last uuid, removed int)
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_seen uuid[];
begin
  v_seen := array(select v.id from workspace_version v
                   where v.until_revision is not null and (p_after is null or v.id > p_after)
                   order by v.id limit p_limit);
  with gone as (
    delete from workspace_version v using workspace_version h
     where v.id = any (v_seen) and v.until_revision is not null
       and v.superseded_at < now() - interval '1 hour'
       and h.team_id = v.team_id and h.layer_id = v.layer_id and h.path = v.path and h.until_revision is null
       and v.version < h.version - p_keep
    returning 1
  )
  select count(*)::int into removed from gone;
  last := v_seen[array_upper(v_seen, 1)];
  return next;
end $$;

-- Looks at p_limit contents that have been waiting for an hour: removes those that no version refers to, and has the others
-- wait no more. Whoever keeps one for a version to come sets its time anew, and has its version in within minutes.
-- Returns how many it looked at, and removed.
create function memory.prune_workspace_blobs(p_limit int) returns table (seen int, removed int)
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  with old as (
    select b.company_id, b.sha256,
           exists (select from workspace_version v
                    where v.company_id = b.company_id and v.sha256 = b.sha256) as referred
      from workspace_blob b where b.waiting_since < now() - interval '1 hour'
     order by b.waiting_since limit p_limit for update of b skip locked
  ), settled as (
    update workspace_blob b set waiting_since = null from old o
     where o.referred and b.company_id = o.company_id and b.sha256 = o.sha256
  ), gone as (
    delete from workspace_blob b using old o
     where not o.referred and b.company_id = o.company_id and b.sha256 = o.sha256 returning 1
  )
  select (select count(*)::int from old), (select count(*)::int from gone) into seen, removed;
  return next;
end $$;

revoke execute on function memory.keep_workspace_blobs(bytea, int[], bytea),
  memory.forsake_workspace_blobs(), memory.prune_workspace_versions(uuid, int, int), memory.prune_workspace_blobs(int)
  from public;
grant execute on function memory.keep_workspace_blobs(bytea, int[], bytea),
  memory.prune_workspace_versions(uuid, int, int), memory.prune_workspace_blobs(int) to memory_service;
