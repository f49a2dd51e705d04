/** Runs a task and counts the turns of the event loop from its call to its end. */
export async function countTurns(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await task();
  isDone = true;
  return turns;
}
