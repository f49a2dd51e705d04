/** One field of each entry of a list. */
export function column<T, Field extends keyof T>(list: readonly T[], field: Field): T[Field][] {
  return list.map((entry) => entry[field]);
}

/** Several fields of each entry of a list, as one array for each entry. */
export function columns<T, Field extends keyof T>(list: readonly T[], ...fields: Field[]): T[Field][][] {
  return list.map((entry) => fields.map((field) => entry[field]));
}
