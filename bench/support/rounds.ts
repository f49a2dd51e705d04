/**
 * Measures cases in turns, so that what disturbs the machine disturbs all alike. What one leaves in the caches, the next one
 * finds, so the order is turned round in every second round.
 * @param warmUp rounds that are not counted
 * @returns what was measured of each case, by round
 */
export async function inTurns<Case, Figure = number>(
  cases: readonly Case[],
  { rounds, warmUp = 1 }: { rounds: number; warmUp?: number },
  measure: (one: Case, round: number) => Promise<Figure>,
): Promise<Figure[][]> {
  const figures = cases.map((): Figure[] => []);
  for (let round = -warmUp; round < rounds; round += 1) {
    const places = [...cases.keys()];
    for (const place of round % 2 === 0 ? places : places.toReversed()) {
      const figure = await measure(cases[place] as Case, round);
      if (round >= 0) figures[place]?.push(figure);
    }
  }
  return figures;
}

/** How long work takes by the clock, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Sends all that waits over some connections, on each one after the other. Returns the ms that it took. */
export const sendAll = <Way, Work>(
  ways: readonly Way[],
  work: Iterable<Work>,
  send: (way: Way, one: Work) => Promise<unknown>,
): Promise<number> => {
  const waiting = work[Symbol.iterator]();
  return timed(() =>
    Promise.all(
      ways.map(async (way) => {
        for (let next = waiting.next(); next.done !== true; next = waiting.next())
          await send(way, next.value);
      }),
    ),
  );
};
