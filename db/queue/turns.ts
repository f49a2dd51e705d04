import type { Queryable } from '../driver/database.ts';
import { lockName } from '../queries/fragments/locks.ts';
import { listWaitingJobs, listWaitingTeams, lockTurns, readNextTurn, updateTurns } from './pg-boss-jobs.ts';

/** The Company and Team whose jobs are enqueued. */
export interface JobOwner {
  companyId: string;
  teamId: string;
}

/**
 * Allocates the turns of the next jobs of a Team. A turn is a priority: the highest comes first. Companies take turns,
 * however many jobs or Teams each has; the Teams of a Company share the turns of the Company.
 */
export async function allocateTurns(
  tx: Queryable,
  queue: string,
  owner: JobOwner,
  jobs: number,
): Promise<readonly number[]> {
  // Two requests of a Company run one after another, so that the second sees the jobs of the first. Otherwise both
  // would get the same turns.
  await lockName(tx, 'turns', `${queue} ${owner.companyId}`);
  const { turn, isWaiting } = await readNextTurn(tx, queue, owner.companyId);
  const turns = Array.from({ length: jobs }, (_, index) => turn - index);
  return isWaiting ? shareTurns(tx, queue, owner, turns) : turns;
}

/**
 * Divides the turns of a Company among its Teams. If n Teams have waiting jobs, the Team gets every nth turn of the
 * Company after its own last job. These turns come from the other Team with the most waiting jobs, whose jobs move to
 * the new turns. Other Companies are not affected, because the Company still has one turn for each job. Only as many
 * jobs move as are enqueued: moving all later jobs would rewrite thousands of rows at each request.
 */
async function shareTurns(
  tx: Queryable,
  queue: string,
  { companyId, teamId }: JobOwner,
  turns: readonly number[],
): Promise<readonly number[]> {
  const teams = await listWaitingTeams(tx, queue, companyId);
  const others = teams.filter(({ team }) => team !== teamId);
  const [longest] = others;
  if (longest === undefined) return turns;
  const last = teams.find(({ team }) => team === teamId)?.last ?? 0;
  const places = turns.map((_, index) => last + (others.length + 1) * (index + 1));
  const movable = await listWaitingJobs(tx, queue, {
    companyId,
    team: longest.team,
    from: places[0] ?? 0,
    limit: (others.length + 2) * turns.length,
  });
  const displaced = await lockTurns(tx, queue, chooseFrom(movable, places));
  const own = displaced.map(({ turn }) => turn);
  // Divides the new turns between the jobs that moved and the remaining jobs of the Team, in the same proportion.
  const moved: number[] = [];
  for (const [index, turn] of turns.entries()) {
    const isOwn = index % (others.length + 1) === others.length;
    const to = (isOwn && own.length < turns.length) || moved.length === displaced.length ? own : moved;
    to.push(turn);
  }
  await updateTurns(
    tx,
    queue,
    displaced.map(({ id }) => id),
    moved,
  );
  return own;
}

/** Returns, for each of these places, the first job at that place or later. Each job is chosen once. */
function chooseFrom(jobs: readonly { id: string; place: number }[], places: readonly number[]): string[] {
  const left = [...jobs];
  return places.flatMap((place) => {
    while (left[0] !== undefined && left[0].place < place) left.shift();
    const job = left.shift();
    return job === undefined ? [] : [job.id];
  });
}
