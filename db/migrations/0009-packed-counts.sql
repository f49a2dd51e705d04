-- How common each word is, packed: a row has the counts of some hundred terms, and not of one.

-- The counts of the terms of one slice, which are those with the same leading bits: term >> dim_shift or key_shift of
-- keyword_team. space: 'd' a dimension of the weights, 'k' a key. The arrays have an element for each term, and terms
-- ascend. A term in one layer has the layer's place and its count there. A term in several layers has the place 0, and
-- in counts the index of its vector, which has the count of each layer at the layer's place; so has a count above the
-- range of int2. places is null if all are 1. Written by write_slices, read by weigh_query.
create table memory.keyword_slice (
  team_id uuid not null references memory.keyword_team (team_id) on delete cascade,
  space "char" not null check (space in ('d', 'k')),
  slice int not null,
  terms int[] storage main not null,
  places int2[] storage main,
  counts int2[] storage main not null,
  vectors sparsevec(16000)[] storage main,
  primary key (team_id, space, slice)
-- Rows of some 2 kB stay in the table and uncompressed: a search reads one for most of its terms.
) with (toast_tuple_target = 8160);

-- For functions only.
alter table memory.keyword_slice enable row level security;
create policy team on memory.keyword_slice to memory_service using (team_id = (select memory.claimed_team()));

alter table memory.keyword_team
  -- Whether every layer is counted in keyword_slice. Until then keyword_df has the counts.
  add column packed boolean not null default false,
  -- By how many bits a term is shifted to the right for its slice.
  add column dim_shift smallint not null default 29,
  add column key_shift smallint not null default 31,
  -- As scales, in parallel arrays: the places of the counted layers, ascending, and the scale of each.
  add column layer_places int[] not null default '{}',
  add column layer_scales real[] not null default '{}';

alter table memory.keyword_layer
  -- The chunks that were counted, by the hash of their ids. Null: the layer has no counts in keyword_slice yet.
  add column members int[],
  -- Chunks that are counted and were deleted since.
  add column gone int not null default 0,
  -- The terms that occur once, which are not in keyword_slice because no search needs them: ascending, as the
  -- difference of each to the one before it, in 7 bits a byte. The next count needs them.
  add column once_dims bytea not null default '',
  add column once_keys bytea not null default '',
  -- Raised by each count: a count that was made from an earlier state is not stored.
  add column version int not null default 0,
  -- Counts of the earlier form. A later version removes them, with keyword_df.
  alter column dims set default '{}',
  alter column dim_counts set default '{}',
  alter column keys set default '{}',
  alter column key_counts set default '{}';

-- Replaced by sample_changes, lock_layer_counts and write_slices. stale_layers, uncounted_teams, stored_terms and
-- end_layer_counts have other arguments or results now.
drop function if exists memory.sample_chunks(uuid, int);
drop function if exists memory.replace_layer_counts(uuid, text, int, int, int[], int[]);
drop function if exists memory.counted_layer(uuid, text);
drop function if exists memory.replace_entry(text, int, int, int);
drop function if exists memory.stale_layers();
drop function if exists memory.uncounted_teams();
drop function if exists memory.stored_terms(uuid[]);
drop function if exists memory.end_layer_counts(uuid, int, int);
drop function if exists memory.layer_scale(int, int, int);
drop function if exists memory.readable_counts(boolean, uuid[]);
