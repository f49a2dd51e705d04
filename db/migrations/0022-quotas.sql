-- How much each Team stores, and how much it can store.

-- The quota of a Team. Null: none. Until quota_set, the default of the deployment applies in place of both.
alter table identity.team
  add column quota_set boolean not null default false,
  add column quota_chunks bigint constraint team_quota_chunks_check check (quota_chunks >= 0),
  add column quota_bytes bigint constraint team_quota_bytes_check check (quota_bytes >= 0);

-- The octets of the texts of the chunks. The trigger memory.measure_source (db/functions) writes it.
alter table memory.source add column text_bytes bigint not null default 0;

-- What a Team stores, without counting it for each write. Each row is a change, and a reader sums them: so writers never
-- wait for each other, and a sum is true at its moment. Changes are folded into their sums now and then. Only triggers
-- write here.
create table memory.usage_tally (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- What the bytes are: texts (of active sources), captures, versions (of memories), files (versions of workspace files),
  -- and the parts of other tables that have the trigger memory.tally_bytes.
  part text not null,
  -- Active sources and their chunks, and live files.
  sources bigint not null default 0,
  chunks bigint not null default 0,
  files bigint not null default 0,
  bytes bigint not null default 0,
  -- The transaction that made the change, so that it can sum what it has added itself. Null: folded.
  xact xid8 default pg_current_xact_id(),
  primary key (team_id, id)
);
alter table memory.usage_tally enable row level security;

-- What is stored already. Writers wait until the triggers exist, which are made in the same transaction.
lock table memory.source, memory.capture, memory.memory_version, memory.workspace_version in share row exclusive mode;
update memory.source s set text_bytes = c.bytes
  from (select team_id, source_id, sum(octet_length(text)) as bytes from memory.chunk group by 1, 2) c
 where s.team_id = c.team_id and s.id = c.source_id;
insert into memory.usage_tally (team_id, part, sources, chunks, bytes, xact)
  select team_id, 'texts', count(*), sum(chunk_count), sum(text_bytes), null
    from memory.source where state = 'active' group by 1;
insert into memory.usage_tally (team_id, part, bytes, xact)
  select team_id, 'captures', sum(octet_length(summary)), null::xid8 from memory.capture group by 1
  union all
  select team_id, 'versions', sum(octet_length(content)), null from memory.memory_version group by 1;
insert into memory.usage_tally (team_id, part, files, bytes, xact)
  select team_id, 'files', count(*) filter (where until_revision is null and sha256 is not null), sum(bytes), null
    from memory.workspace_version group by 1;
