-- Part of search_candidates. Returns the filters of a search, and how they are tested. If few chunks can pass, those that
-- do are returned as `allowed`. If there can be many, `looked_up` is true: candidates are found without the filters,
-- and those that do not pass are removed by first_passing. It reads some thousand rows at most, however many pass.
-- Without a filter, `hidden` has hidden_chunks. A filter that is null is not set. p_after and
-- p_before are bounds of a chunk's time, p_occurred_after and p_occurred_before of the date of its source, which has all of
-- p_tags.
create or replace function memory.choose_filter(
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz, p_tags text[],
  p_occurred_after timestamptz, p_occurred_before timestamptz,
  out is_set boolean,                   -- whether there is a filter
  out allowed uuid[], out hidden uuid[], out looked_up boolean,
  -- The filters. since includes its moment, and until does not; the bounds of the date include theirs.
  out kinds text[], out sources uuid[], out since timestamptz, out until timestamptz, out tags text[],
  out occurred_after timestamptz, out occurred_before timestamptz
)
language plpgsql stable
as $$
declare
  few constant int := 10000;            -- with more chunks that can pass, candidates are looked up
  v_few_sources uuid[];
  v_own uuid[];                         -- the chunks of a small scope in a large Team
  v_filter record;
begin
  is_set := num_nonnulls(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before) > 0;
  looked_up := false;
  if not is_set then
    hidden := hidden_chunks();
    return;
  end if;
  -- The indexes of times, kinds and tags are over the whole Team. In a small scope each chunk is tested instead.
  if p_sources is null then
    v_own := small_scope_chunks();
  end if;
  if v_own is null and num_nonnulls(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before) > 0 then
    v_few_sources := few_sources(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before);
  end if;
  kinds := p_kinds;
  sources := coalesce(v_few_sources, p_sources);
  -- Callers see times in milliseconds. A chunk whose time, as they see it, equals a bound does not pass.
  since := p_after + interval '1 millisecond';
  until := p_before;
  tags := p_tags;
  occurred_after := p_occurred_after;
  occurred_before := p_occurred_before;
  select kinds, sources, since, until, tags, occurred_after, occurred_before into v_filter;
  if v_own is not null then
    allowed := array(select v_own[n] from unnest(first_passing(v_own, v_filter, cardinality(v_own))) n);
  elsif v_few_sources is not null or num_nonnulls(since, until) > 0 then
    allowed := passing_chunks(v_filter, few);
  end if;
  looked_up := allowed is null;
end $$;

revoke execute on function memory.choose_filter(text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz) from public, memory_service, memory_worker;
