/** Whether normalization sorts a character: it changes places with a mark of the lowest or of the highest class. */
export function isSortedMark(character: string): boolean {
  if (!/^\p{M}/u.test(character)) return false;
  const [lowest, highest] = ['\u0334', '\u0345'];
  const decomposed = character.normalize('NFD');
  return (
    (character + lowest).normalize('NFD') === lowest + decomposed ||
    (highest + character).normalize('NFD') !== highest + decomposed
  );
}
