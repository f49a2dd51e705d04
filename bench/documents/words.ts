const EDGES = /^[^\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+$/gu;
const CHINESE_STOPS = /[、。，：；（）「」]/gu;

/** The words of a text without Markdown, soft hyphens, hyphens between letters, dot leaders and bullets. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(CHINESE_STOPS, ' ')
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/\\(?=[^\p{L}\p{N}\s])/gu, '')
    .replaceAll(/<br\s*\/?>|<\/?su[bp]>|\[?\^|\|/gu, ' ')
    .replaceAll(/(?:[.·…_]\s?){3,}/gu, ' ')
    .replaceAll(/(?<=\p{L})[-‐‑](?:\s*\n\s*)?(?=\p{L})/gu, '')
    .split(/\s+/u)
    .map((word) => word.replaceAll(EDGES, ''))
    .filter((word) => word !== '');
}

/** How often each word is there. */
export function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How often the letters of a word are in the text, where its spaces are not those of the word. */
function timesBroken(word: string, joined: string, starts: ReadonlySet<number>): number {
  let times = 0;
  for (let at = joined.indexOf(word); at >= 0; at = joined.indexOf(word, at + word.length)) {
    const end = at + word.length;
    const inner = Array.from({ length: word.length - 1 }, (_, offset) => at + offset + 1);
    const divided = inner.some((place) => starts.has(place));
    const edges = Number(starts.has(at)) + Number(starts.has(end));
    // A short word is also found by chance across the ends of two others.
    if (divided ? edges === 2 || (edges === 1 && word.length > 3) : edges < 2 && word.length > 1) times += 1;
  }
  return times;
}

/** Words that are lacking, broken, or there too often. Numbers of one or two digits are ignored: pages have them. */
export function countWords(expected: readonly string[], found: readonly string[]) {
  const [due, present] = [countsOf(expected), countsOf(found)];
  const joined = found.join('');
  const starts = new Set([0]);
  let length = 0;
  for (const word of found) starts.add((length += word.length));
  const counts = { missing: 0, broken: 0, twice: 0 };
  for (const [word, times] of due) {
    const lacking = times - (present.get(word) ?? 0);
    const broken = lacking > 0 ? Math.min(lacking, timesBroken(word, joined, starts)) : 0;
    counts.broken += broken;
    counts.missing += Math.max(0, lacking) - broken;
    if (word.length > 1 && !/^\d{1,2}$/.test(word)) counts.twice += Math.max(0, -lacking);
  }
  return counts;
}

/** The words of each cell of a line of Markdown, also of empty cells; none if the line is not of a table. */
export function cellWords(line: string): string[] {
  const text = line.trim();
  if (!text.startsWith('|')) return [];
  const cells = text.split(/(?<!\\)\|/u).map((cell) => wordsOf(cell).join(' '));
  return cells.slice(1, text.endsWith('|') ? -1 : undefined);
}

/** The words of each cell of such a line that is not empty. */
export const cellsOf = (line: string): string[] => cellWords(line).filter((cell) => cell !== '');
