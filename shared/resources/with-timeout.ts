/**
 * Waits for a result for at most `ms` milliseconds. A later result is passed to `late`.
 * @throws Error with `message` after that time
 */
export async function withTimeout<T>(
  ms: number,
  result: Promise<T>,
  message: string,
  late: (value: T) => void = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(message));
    }, ms);
  });
  result.then(
    (value) => isLate && late(value),
    () => undefined,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
