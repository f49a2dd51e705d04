/** Adds items to a list, however many they are: a call cannot have as many arguments as a file can have items. */
export function pushAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
