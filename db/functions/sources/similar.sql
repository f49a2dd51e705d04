-- Stores the sketch of a source and compares it with the sketches of the other sources of its layer. Returns the sources
-- with the most bands in common, at most p_limit, and with each of them the signature of p_source as own. If p_bands is
-- null, the stored sketch is compared. If p_limit is 0, nothing is compared. Returns nothing if the claims cannot write
-- the layer of the source.
create or replace function memory.sketch_source(
  p_layer uuid,               -- the layer of the source
  p_source uuid, p_bands int[], p_signature bytea, p_limit int
) returns table (source_id uuid, signature bytea, own bytea)
language plpgsql volatile security definer
set search_path = memory, pg_temp
-- Plans that are made once: making them took longer than the rest, also that of the check of the foreign key.
set plan_cache_mode = force_generic_plan
-- Without statistics of the bands the planner would read every sketch.
set enable_seqscan = off
as $$
declare
  -- Sources that are ordered by their bands at most: a letter can be stored a hundred thousand times with other names.
  compared_cap constant int := 2000;
  v_team constant uuid := claimed_team();
  v_bands int[] := p_bands;
  v_signature bytea := p_signature;
begin
  if not p_layer = any (writable_layers()) then
    return;
  end if;
  if p_bands is null then
    select k.bands, k.signature into v_bands, v_signature from source_sketch k
     where k.team_id = v_team and k.source_id = p_source and k.layer_id = p_layer;
  else
    insert into source_sketch (team_id, layer_id, source_id, bands, signature)
    values (v_team, p_layer, p_source, p_bands, p_signature)
    on conflict on constraint source_sketch_pkey do update set bands = excluded.bands, signature = excluded.signature
      where source_sketch.bands <> excluded.bands or source_sketch.signature <> excluded.signature;
  end if;
  if p_limit = 0 then
    return;
  end if;
  return query
  -- offset 0 makes the planner use only the index of bands, as in chunks_by_key. Bands are hashed with the Team.
  select l.source_id, l.signature, v_signature
    from (select k.source_id, k.signature, k.bands
            from (select c.team_id, c.layer_id, c.source_id, c.signature, c.bands from source_sketch c
                   where c.bands && v_bands offset 0) k
           where k.team_id = v_team and k.layer_id = p_layer and k.source_id <> p_source
           limit compared_cap) l
   order by (select count(*) from unnest(l.bands, v_bands) as b (one, other) where b.one = b.other) desc,
            l.source_id desc
   limit p_limit;
end $$;

revoke execute on function memory.sketch_source(uuid, uuid, int[], bytea, int) from public, memory_service, memory_worker;
grant execute on function memory.sketch_source(uuid, uuid, int[], bytea, int) to memory_service;

-- Returns the form in which texts are compared: without case, and with accents composed (NFC). In lower case of upper case,
-- because σ and ς have the same upper case. One letter never equals two: ß is not ss. Normalization sorts the marks after
-- a character in quadratic time: 16,000 took 1.6 seconds. So a text with more than 64 of them, which no real text has, is
-- not normalized. The marks are those that Unicode sorts, with others between them. It is inlined.
create or replace function memory.comparable_text(p_text text) returns text
language sql immutable parallel safe
as $$
  select lower(upper((case when p_text ~ (
    '['
    '\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f'
    '\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3\u07fd'
    '\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff'
    '\u093c\u094d\u0951-\u0954\u09bc\u09cd\u09fe\u0a3c-\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c3c'
    '\u0c4d-\u0c56\u0cbc\u0ccd\u0d3b-\u0d3c\u0d4d\u0dca\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb'
    '\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0f87\u0fc6\u1037-\u103a\u108d\u135d-\u135f'
    '\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18\u1a60-\u1a7f\u1ab0-\u1aeb\u1b34-\u1b44'
    '\u1b6b-\u1b73\u1baa-\u1bab\u1be6-\u1bf3\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9'
    '\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d'
    '\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4\ua8e0-\ua8f1\ua92b-\ua92d\ua953\ua9b3-\ua9c0\uaab0'
    '\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6\uabed\ufb1e\ufe20-\ufe2f\U000101fd\U000102e0'
    '\U00010376-\U0001037a\U00010a0d-\U00010a0f\U00010a38-\U00010a3f\U00010ae5-\U00010ae6'
    '\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff'
    '\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f\U000110b9-\U000110ba'
    '\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236'
    '\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001134d\U00011366-\U00011374\U000113ce-\U000113d0'
    '\U00011442-\U00011446\U0001145e\U000114c2-\U000114c3\U000115bf-\U000115c0\U0001163f\U000116b6-\U000116b7'
    '\U0001172b\U00011839-\U0001183a\U0001193d-\U0001193e\U00011943\U000119e0\U00011a34\U00011a47\U00011a99'
    '\U00011c3f\U00011d42-\U00011d45\U00011d97\U00011f41-\U00011f42\U0001612f\U00016af0-\U00016af4'
    '\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169\U0001d16d-\U0001d172'
    '\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244'
    '\U0001e000-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef'
    '\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6'
    '\U0001e944-\U0001e94a'
    ']{65}'
  ) then p_text else normalize(p_text, NFC) end) collate "pg_c_utf8"))
$$;

revoke execute on function memory.comparable_text(text) from public, memory_service, memory_worker;
grant execute on function memory.comparable_text(text) to memory_service;

-- Of other files with the texts of these sources, which have gone from their layer, the oldest active one is the first of
-- each now. Runs with the rights of its caller.
create or replace function memory.choose_first_copies(p_sources uuid[]) returns void
language sql volatile
set search_path = memory, pg_temp
as $$
  -- The next statement sees the copies as they are when they are locked: one of them can be moved at the same time.
  select from source s where s.team_id = claimed_team() and s.same_as = any (p_sources) order by s.id for update;
  with copy as (
    select s.id, s.same_as, s.state from source s where s.team_id = claimed_team() and s.same_as = any (p_sources)
  ), oldest as (
    select c.same_as, min(c.id::text)::uuid as id from copy c where c.state = 'active' group by c.same_as
  )
  update source s set same_as = case when copy.state = 'active' then nullif(oldest.id, s.id) end
    from copy left join oldest on oldest.same_as = copy.same_as
   where s.team_id = claimed_team() and s.id = copy.id;
$$;

revoke execute on function memory.choose_first_copies(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.choose_first_copies(uuid[]) to memory_service, memory_worker;
