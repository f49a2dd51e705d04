/*
 * What Node 20 lacks, on which the terminal client runs. `cli/packaging/client.tsconfig.json` refuses the original.
 */

/** `Map.groupBy`. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** `Promise.withResolvers`, of a promise that is only rejected. */
export function rejectable(): { promise: Promise<never>; reject: (reason?: unknown) => void } {
  let reject: (reason?: unknown) => void = () => {};
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}
