-- Part of keyword_candidates and similar_memories. Selects the rarest keys: the rarest one, and the next ones while
-- their estimated postings are at most p_cap in total.
create or replace function memory.rarest_keys(
  p_keys int[],
  p_frequencies float8[],     -- the number of chunks with each key in the scope, and ...
  p_team_frequencies float8[],-- ... in all layers, or null
  p_cap float8,
  out keys int[],             -- rarest first
  out postings float8,        -- the estimated postings of these keys in the scope
  out next_postings float8,   -- the same with one key more; null if no key is left
  out other_postings float8   -- the estimated postings of these keys outside of the scope, or null
)
language plpgsql stable
as $$
begin
  with running as (
    select e.key, e.team_df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from unnest(p_keys, p_frequencies, p_team_frequencies) as e (key, df, team_df)
  )
  select coalesce(array_agg(r.key order by r.place) filter (where r.postings <= p_cap or r.place = 1), '{}'),
         max(r.postings) filter (where r.postings <= p_cap or r.place = 1),
         min(r.postings) filter (where r.postings > p_cap and r.place > 1),
         sum(r.team_df) filter (where r.postings <= p_cap or r.place = 1)
           - max(r.postings) filter (where r.postings <= p_cap or r.place = 1)
    into keys, postings, next_postings, other_postings
    from running r;
end $$;

revoke execute on function memory.rarest_keys(int[], float8[], float8[], float8) from public, memory_service, memory_worker;
