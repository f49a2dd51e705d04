/**
 * The condition that a text holds another, in upper or lower case and however its marks are composed: in every
 * language, whatever the database's own. By way of the upper case, which σ and ς have in common. By position and
 * not by LIKE, for which `%` and `_` mean something.
 * @param column the text
 * @param parameter a text that is bound
 */
export function holds(column: string, parameter: string): string {
  const plain = (text: string) => `lower(upper(normalize(${text}::text, NFC) collate "pg_c_utf8"))`;
  return `position(${plain(parameter)} in ${plain(column)}) > 0`;
}
