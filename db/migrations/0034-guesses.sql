-- This function has a further argument. That of before would stay beside it.
drop function if exists memory.fuse_candidates(uuid[], float8[], boolean[], float8, uuid[], float8[], int,
  public.halfvec, text, float8, int, boolean);
