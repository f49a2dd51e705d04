/** What a reader must find in a PDF. */
export interface Expected {
  /** In reading order. A superscript is written `^1`. Rows of a list of contents need only be lines, not tables. */
  blocks: readonly ({ text: string } | { rows: readonly (readonly string[])[]; lines?: true })[];
  /** Headers and footers, which count once for the document and not in its order. */
  repeated: readonly string[];
}

/** How a text was read: each figure with the number that it is a part of. */
export interface Verdict {
  words: number;
  /** Words in reading order: the longest common subsequence. */
  ordered: number;
  rows: number;
  /** Rows whose words are in one line, with nothing between them. */
  whole: number;
  tableRows: number;
  /** Rows of tables whose cells are cells of a Markdown row. */
  separate: number;
  missing: number;
  /** Words that are joined with another, or divided. */
  broken: number;
  /** Words found more often than they are in the document. */
  twice: number;
}

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

/** Counts the words of the longest common subsequence (Hunt and Szymanski, 1977). */
export function commonInOrder(expected: readonly string[], found: readonly string[]): number {
  const places = Map.groupBy(expected.keys(), (at) => expected[at] ?? '');
  /** The smallest end of a common subsequence, by its length. */
  const ends: number[] = [];
  for (const word of found) {
    for (const place of (places.get(word) ?? []).toReversed()) {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      ends[low] = place;
    }
  }
  return ends.length;
}

function countsOf(words: readonly string[]): Map<string, number> {
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
function countWords(expected: readonly string[], found: readonly string[]) {
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

const includesRun = (line: readonly string[], run: readonly string[]) =>
  line.some((_, at) => run.every((word, offset) => line[at + offset] === word));

/** The cells of a line of Markdown, or none. */
function cellsOf(line: string): string[] {
  const text = line.trim();
  if (!text.startsWith('|')) return [];
  const cells = text.split(/(?<!\\)\|/u).map((cell) => wordsOf(cell).join(' '));
  return cells.filter((cell) => cell !== '');
}

/** Judges the stored text of a document. */
export function judge({ blocks, repeated }: Expected, stored: string): Verdict {
  const rows = blocks.flatMap((block) => ('rows' in block ? block.rows : []));
  const tableRows = blocks.flatMap((block) => ('rows' in block && block.lines !== true ? block.rows : []));
  const inOrder = blocks.flatMap((block) =>
    wordsOf('text' in block ? block.text : block.rows.map((row) => row.join(' ')).join('\n')),
  );
  const raised = new Set(
    JSON.stringify(blocks)
      .match(/[\p{L}\p{M}]+\^\d/gu)
      ?.map((word) => word.replace('^', '')),
  );
  const found = wordsOf(stored).flatMap((word) =>
    raised.has(word) ? [word.slice(0, -1), word.slice(-1)] : [word],
  );
  const lines = stored.split('\n');
  const wordLines = lines.map(wordsOf);
  const cellLines = new Set(lines.map(cellsOf).map((cells) => cells.join('\t')));
  const joined = (row: readonly string[]) => row.map((cell) => wordsOf(cell).join(' ')).join('\t');
  return {
    words: inOrder.length,
    ordered: commonInOrder(inOrder, found),
    rows: rows.length,
    whole: rows.filter((row) => wordLines.some((line) => includesRun(line, wordsOf(row.join(' '))))).length,
    tableRows: tableRows.length,
    separate: tableRows.filter((row) => cellLines.has(joined(row))).length,
    ...countWords([...inOrder, ...repeated.flatMap(wordsOf)], found),
  };
}
