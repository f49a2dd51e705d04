/**
 * Reads something that changes seldom and is asked for often: an answer is told again for so long, also to who asks while
 * it is read. One that failed is not: the next to ask tries again.
 * @param keptMs from when the reading began, in milliseconds
 */
export function memoizeFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { answer: Promise<T>; until: number } | null = null;
  return () => {
    if (kept !== null && performance.now() < kept.until) return kept.answer;
    const own = { answer: read(), until: performance.now() + keptMs };
    kept = own;
    own.answer.catch(() => {
      if (kept === own) kept = null;
    });
    return own.answer;
  };
}
