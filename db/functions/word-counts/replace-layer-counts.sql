-- Replaces the counts of a layer for the terms from p_from to p_to, in the space p_space: 'd' for dimensions, 'k' for
-- keys. p_client is null for the Team layer. Writes only counts that have changed, and all counts of one term in one
-- statement, so a job that stops between two calls leaves counts that agree with each other. A new layer does not count
-- until end_layer_counts. Locks the Team's row first, so that a transaction that counts at the same time waits.
create or replace function memory.replace_layer_counts(
  p_client uuid, p_space text, p_from int, p_to int, p_terms int[], p_counts int[]
) returns void
language plpgsql security definer
set search_path = memory, public, pg_temp
set work_mem = '64MB'
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_layer record;                       -- the layer's place and stored counts
  v_terms int[];                        -- terms whose count has changed, with ...
  v_olds int[];                         -- ... the old counts and ...
  v_news int[];                         -- ... the new counts
  v_gone int[];                         -- terms that no longer occur in the layer
begin
  perform from keyword_team t where t.team_id = v_team for update;
  -- The Team was deleted.
  if not found then
    return;
  end if;
  v_layer := counted_layer(p_client, p_space);
  -- Every place is in use. The words of this layer weigh as if they were not counted.
  if v_layer.place is null then
    return;
  end if;

  -- Compares the stored counts with the new ones.
  select array_agg(term order by term), array_agg(o.n order by term), array_agg(n.n order by term),
         array_agg(term) filter (where n.n is null)
    into v_terms, v_olds, v_news, v_gone
    from (select * from unnest(v_layer.terms, v_layer.counts) o (term, n) where o.term between p_from and p_to) o
    full join unnest(p_terms, p_counts) n (term, n) using (term)
   where o.n is distinct from n.n;
  if v_terms is null then
    return;
  end if;
  -- Deletes the rows of terms that occurred only in this layer.
  delete from keyword_df d
   where d.team_id = v_team and d.space = p_space::"char" and d.term = any (v_gone) and strpos(d.counts::text, ',') = 0;
  -- Replaces, adds or deletes this layer's entry (place:count) in the vector of each term that has changed.
  insert into keyword_df (team_id, space, term, counts)
    select v_team, p_space::"char", c.term,
           ('{' || replace_entry(k.entries, v_layer.place, c.old, c.new) || '}/16000')::sparsevec
      from unnest(v_terms, v_olds, v_news) c (term, old, new)
      -- offset 0 keeps the planner from merging the subquery. A merged query, or nested loops, would read all of the
      -- Team's counts for each term if there are no statistics.
      left join (select d.term, substr(split_part(d.counts::text, '}', 1), 2) as entries from keyword_df d
                  where d.team_id = v_team and d.space = p_space::"char" and d.term = any (v_terms) offset 0) k
        on k.term = c.term
     where c.new > 0 or k.entries is not null
     -- In the order of the key, so that neighbours in the index are written together.
     order by c.term
    on conflict (team_id, space, term) do update set counts = excluded.counts;

  -- Stores the layer's own counts, with which the next call compares.
  select coalesce(array_agg(a.term order by a.term), '{}'), coalesce(array_agg(a.n order by a.term), '{}')
    into v_terms, v_news
    from (select o.term, o.n from unnest(v_layer.terms, v_layer.counts) o (term, n)
           where o.term not between p_from and p_to
          union all select n.term, n.n from unnest(p_terms, p_counts) n (term, n)) a;
  if p_space = 'd' then
    update keyword_layer l set dims = v_terms, dim_counts = v_news
     where l.team_id = v_team and l.client_id is not distinct from p_client;
  else
    update keyword_layer l set keys = v_terms, key_counts = v_news
     where l.team_id = v_team and l.client_id is not distinct from p_client;
  end if;
end $$;

revoke execute on function memory.replace_layer_counts(uuid, text, int, int, int[], int[]) from public, memory_service, memory_worker;
grant execute on function memory.replace_layer_counts(uuid, text, int, int, int[], int[]) to memory_worker;
