/**
 * Returns the condition that a text contains another. It ignores case and how accents are composed (NFC or NFD), in
 * every language and with any collation of the database: see `memory.comparable_text`. Uses `position`, because `%` and
 * `_` are special in LIKE.
 * @param column the column with the text
 * @param parameter the parameter with the text to find
 */
export function containsText(column: string, parameter: string): string {
  const comparable = (text: string) => `memory.comparable_text(${text}::text)`;
  return `position(${comparable(parameter)} in ${comparable(column)}) > 0`;
}
