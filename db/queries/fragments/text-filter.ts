/**
 * Returns the condition that a text contains another. It ignores case and how accents are composed (NFC or NFD), in
 * every language and with any collation of the database. The texts are compared in lower case of upper case, because σ
 * and ς have the same upper case. One letter never equals two: ß is not ss. Uses `position`, because `%` and `_` are
 * special in LIKE.
 * @param column the column with the text
 * @param parameter the parameter with the text to find
 */
export function containsText(column: string, parameter: string): string {
  const plain = (text: string) => `lower(upper(normalize(${text}::text, NFC) collate "pg_c_utf8"))`;
  return `position(${plain(parameter)} in ${plain(column)}) > 0`;
}
