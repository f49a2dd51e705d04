import type { Queryable } from '../driver/database.ts';

/** Whose jobs are queued. */
export interface Sender {
  companyId: string;
  teamId: string;
}

/** A queue and the schema of its table. */
export interface TurnsOf {
  schema: string;
  queue: string;
}

/**
 * A turn is a priority: the higher comes first. Turns at or below this one are of long jobs: they come after all others,
 * and have a worker of their own. The first job that waits gets turn 0, so a billion jobs would have to follow without a pause to get here.
 */
export const LONG_TURN = -1_000_000_000;

const WAITING = `j.name = $1 and j.state < 'active' and not j.blocked`;

/**
 * The turns of a Team's next jobs. Companies take turns, however many jobs or Teams each has; the Teams of a Company
 * share the turns of the Company.
 */
export async function allocateTurns(
  tx: Queryable,
  of: TurnsOf,
  sender: Sender,
  jobs: number,
): Promise<readonly number[]> {
  // Of two requests of a Company at once the second must see the jobs of the first, or both get the same turns.
  const name = `${of.schema} ${of.queue} ${sender.companyId}`;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 6))', [name]);
  const { turn, isWaiting } = await nextTurn(tx, of, sender.companyId);
  const turns = Array.from({ length: jobs }, (_, index) => turn - index);
  return isWaiting ? shareTurns(tx, of, sender, turns) : turns;
}

/**
 * The turn of the next job of a Company: its jobs follow one another by one, and its first joins those of others where
 * they are now. Start-time fair queueing (Goyal, Vin, Cheng 1996), where each job counts as one.
 *
 * Where the others are now is told by the next job of the one that is furthest on. A job that is tried again, or was
 * given back, keeps the turn that it had, which may be long past, and says nothing of now unless no other waits.
 *
 * A Company that has no job, neither waiting nor running, begins ahead of those that have one running: some of these may
 * be far behind the others because their jobs run long, and it would have to wait until they caught up.
 */
async function nextTurn(tx: Queryable, { schema, queue }: TurnsOf, group: string) {
  const [row] = await tx.query<{ turn: number | null; isWaiting: boolean | null }>(
    `with running as (
       select distinct group_id from ${schema}.job where name = $1 and state = 'active' and group_id is not null
     ),
     waiting as (
       select j.group_id = $2 as own, j.group_id in (select group_id from running) as runs, min(j.priority) as last,
              max(j.priority) filter (where j.state = 'created' and j.retry_count = 0) as next
         from ${schema}.job j where ${WAITING} and j.priority > ${LONG_TURN} group by j.group_id
     ),
     now as (
       select coalesce(min(next), min(last)) as turn, max(next) filter (where runs) + 1 as ahead,
              min(last) filter (where own) - 1 as own, coalesce(bool_or(own), false) as "isWaiting"
         from waiting
     )
     select "isWaiting",
            case when "isWaiting" or $2 in (select group_id from running) then least(turn, own)
                 else greatest(turn, ahead) end as turn
       from now`,
    [queue, group],
  );
  return { turn: row?.turn ?? 0, isWaiting: row?.isWaiting === true };
}

/**
 * Divides the turns of a Company among its Teams. With n Teams waiting, every nth turn of the Company after the Team's
 * own last job is the Team's. It is taken from the other Team that has the most jobs waiting, whose job moves
 * behind, to one of the new turns. No other Company notices: the Company has as many turns as it has jobs. Only as many
 * jobs move as are queued, because moving all that follow would rewrite thousands of rows at each request.
 */
async function shareTurns(
  tx: Queryable,
  of: TurnsOf,
  { companyId, teamId }: Sender,
  turns: readonly number[],
): Promise<readonly number[]> {
  const line = `select j.id, j.group_tier as team, row_number() over (order by j.priority desc, j.created_on) as place
      from ${of.schema}.job j
     where ${WAITING} and j.group_id = $2 and j.state = 'created' and j.retry_count = 0 and j.priority > ${LONG_TURN}`;
  const teams = await tx.query<{ team: string; last: number }>(
    `select team, max(place) as last from (${line}) as line group by team order by count(*) desc, team`,
    [of.queue, companyId],
  );
  const others = teams.filter(({ team }) => team !== teamId);
  const [longest] = others;
  if (longest === undefined) return turns;
  const last = teams.find(({ team }) => team === teamId)?.last ?? 0;
  const places = turns.map((_, index) => last + (others.length + 1) * (index + 1));
  const movable = await tx.query<{ id: string; place: number }>(
    `select id, place from (${line}) as line where team = $3 and place >= $4 order by place limit $5`,
    [of.queue, companyId, longest.team, places[0], (others.length + 2) * turns.length],
  );
  const displaced = await tx.query<{ id: string; turn: number }>(
    // A job that is just being taken keeps its turn.
    `select id, priority as turn from ${of.schema}.job
      where name = $1 and id = any ($2::uuid[]) and state = 'created' order by priority desc for update skip locked`,
    [of.queue, chooseFrom(movable, places)],
  );
  const own = displaced.map(({ turn }) => turn);
  // What is left of the new turns goes to those that moved and to the Team's later jobs, by the same shares.
  const moved: number[] = [];
  for (const [index, turn] of turns.entries()) {
    const isOwn = index % (others.length + 1) === others.length;
    const to = (isOwn && own.length < turns.length) || moved.length === displaced.length ? own : moved;
    to.push(turn);
  }
  await tx.query(
    `update ${of.schema}.job j set priority = m.turn from unnest($2::uuid[], $3::int[]) as m (id, turn)
      where j.name = $1 and j.id = m.id`,
    [of.queue, displaced.map(({ id }) => id), moved],
  );
  return own;
}

/** For each of these places the first job there or behind, each job once. */
function chooseFrom(jobs: readonly { id: string; place: number }[], places: readonly number[]): string[] {
  const left = [...jobs];
  return places.flatMap((place) => {
    while (left[0] !== undefined && left[0].place < place) left.shift();
    const job = left.shift();
    return job === undefined ? [] : [job.id];
  });
}

/** Puts a job that waits again among the long ones, where Companies take turns too. One of these keeps its turn. */
export async function moveToLongJobs(
  tx: Queryable,
  { schema, queue }: TurnsOf,
  { id, groupId }: { id: string; groupId?: string | null },
): Promise<void> {
  await tx.query(
    `with waiting as (
       select j.group_id = $3 as own, min(j.priority) as last, max(j.priority) as next
         from ${schema}.job j where ${WAITING} and j.priority <= ${LONG_TURN} group by j.group_id
     )
     update ${schema}.job j set priority = (select least(coalesce(min(next), ${LONG_TURN}), min(last) filter (where own) - 1) from waiting)
      where j.name = $1 and j.id = $2 and j.priority > ${LONG_TURN}`,
    [queue, id, groupId ?? null],
  );
}

/**
 * Whether a Company other than this one has had a job ready for a second, and none that runs. A job of a Company that
 * has one running waits for its own.
 */
export async function isAnotherWaiting(
  tx: Queryable,
  { schema, queue }: TurnsOf,
  companyId: string,
): Promise<boolean> {
  const rows = await tx.query(
    // Jobs that were queued by an earlier version have the Team as their group.
    `select from ${schema}.job j
      where ${WAITING} and j.priority > ${LONG_TURN} and j.group_id <> $2 and j.data->>'companyId' <> $2
        and greatest(j.created_on, j.start_after) <= now() - interval '1 second'
        and not exists (
          select from ${schema}.job a where a.name = $1 and a.state = 'active' and a.group_id = j.group_id)
      limit 1`,
    [queue, companyId],
  );
  return rows.length > 0;
}
