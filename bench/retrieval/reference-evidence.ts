/**
 * The evidence of a source written plainly, to judge the keyword search by: the score of a hit moves towards that of its
 * source, which is made of the best hits of the source.
 */

/** The weight of the score of the source, of how many of its hits it is made, and what each counts at least of the best. */
const SHARE = 0.4;
const HITS = 3;
const LEAST_OF_BEST = 0.6;

/** How many hits of the keyword search are looked at. */
export const KEYWORD_LEG = 50;

/**
 * Returns a function from points to points with evidence. They are unchanged if the search found nothing of the source.
 * @param leg the hits of the keyword search, best first
 */
export function openEvidence<Source>(
  leg: readonly { source: Source; points: number }[],
): (points: number, source: Source) => number {
  const bySource = Map.groupBy(leg, ({ source }) => source);
  const scores = new Map([...bySource].map(([source, hits]) => [source, sourceScore(hits)]));
  return (points, source) => points + SHARE * ((scores.get(source) ?? points) - points);
}

function sourceScore(hits: readonly { points: number }[]): number {
  const best = hits[0]?.points ?? 0;
  let sum = best;
  for (let nth = 1; nth < HITS; nth += 1) sum += Math.max(hits[nth]?.points ?? 0, LEAST_OF_BEST * best);
  return sum / (1 + (HITS - 1) * LEAST_OF_BEST);
}

/** The points of the best texts with the evidence of their sources; 0 for the others. */
export function pointsWithEvidence<Source>(
  points: readonly number[],
  sources: readonly Source[],
  best: readonly number[],
): number[] {
  const leg = best.slice(0, KEYWORD_LEG);
  const hit = (index: number) => ({ source: sources[index] as Source, points: points[index] ?? 0 });
  const withEvidence = openEvidence(leg.map(hit));
  const found = new Map(leg.map((index) => [index, withEvidence(hit(index).points, hit(index).source)]));
  return points.map((_, index) => found.get(index) ?? 0);
}
