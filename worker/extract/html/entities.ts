const ENTITY = /&(amp|apos|gt|lrm|lt|nbsp|quot|rlm|#39);/gi;
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  // Marks of the direction of writing are not shown.
  lrm: '',
  lt: '<',
  nbsp: ' ',
  quot: '"',
  rlm: '',
  '#39': "'",
};

/** Decodes the character references that texts with a little markup have: those of chats and of subtitles. */
export function decodeReferences(text: string): string {
  return text.replace(ENTITY, (_, name: string) => CHARACTERS[name.toLowerCase()] ?? '');
}
