/** A line can be quoted more deeply, but is not marked more often. */
const MAX_QUOTES = 10;

interface FlowedLine {
  depth: number;
  texts: string[];
}

/** How often a line is quoted. */
function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === '>') depth += 1;
  return depth;
}

const DEEP_QUOTE = /^((?:> ?){10})(?:> ?)+/gm;

/** A text whose lines are marked as quoted ten times at most. */
export function withoutDeepQuotes(text: string): string {
  return text.replace(DEEP_QUOTE, '$1');
}

/**
 * Joins the lines of a text in the form `format=flowed` (RFC 3676). Lines of different depths of quotation are not joined. A
 * quoted line begins with `> ` for each level.
 * @param deletesSpace whether the space at which a line was broken is not part of the text (`delsp=yes`)
 */
export function joinFlowed(text: string, deletesSpace: boolean): string {
  const lines: FlowedLine[] = [];
  let open: FlowedLine | null = null;
  for (const line of text.split(/\r?\n/)) {
    const depth = quoteDepth(line);
    // A space at the start protects the line, and is not part of it.
    const written = line.slice(line[depth] === ' ' ? depth + 1 : depth);
    const isSignature = written === '-- ';
    const flows = written.endsWith(' ') && !isSignature;
    if (open === null || open.depth !== depth || isSignature) {
      open = { depth, texts: [] };
      lines.push(open);
    }
    open.texts.push(flows && deletesSpace ? written.slice(0, -1) : written);
    if (!flows) open = null;
  }
  return lines
    .map(({ depth, texts }) => `${'> '.repeat(Math.min(depth, MAX_QUOTES))}${texts.join('')}`)
    .join('\n');
}
