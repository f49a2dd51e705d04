import PQueue from 'p-queue';

/**
 * Does something for each item, some at a time. After the first failure, no other one begins, and this ends when those that
 * have begun end.
 */
export async function forEach<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = new PQueue({ concurrency });
  try {
    return await queue.addAll(items.map((item) => () => work(item)));
  } finally {
    queue.clear();
    await queue.onIdle();
  }
}
