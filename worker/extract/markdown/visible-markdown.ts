/** The text of Markdown that a person sees: without pictures in the text itself, comments and the marks of notes. */

/** A picture that is written as an address `data:`. Only these characters, so that the search is linear. */
const DATA_IMAGE = /!\[([^[\]\n]*)\]\(\s*<?data:[^()[\]\n]*\)/g;
const DATA_REFERENCE = /^ {0,3}\[[^[\]\n]+\]:[ \t]*<?data:[^\n]*$/gm;
const IMAGE_REFERENCE = /!\[([^[\]\n]*)\]\[[^[\]\n]*\]/g;
const HTML_IMAGE = /<img\b[^<>]*>/gi;
const ALT = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
/** Other data of which nothing can be read. */
const DATA = /(\bdata:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w.=-]{1,100}){0,3};base64,)[A-Za-z0-9+/=_-]{200,}/g;

/** Replaces pictures that are in the text itself by what is written in their place. */
function withoutDataImages(text: string): string {
  if (!text.includes('data:')) return text;
  const withoutDefinitions = text.replace(DATA_REFERENCE, '');
  const named =
    withoutDefinitions === text ? text : withoutDefinitions.replace(IMAGE_REFERENCE, (_, alt: string) => alt);
  return named
    .replace(DATA_IMAGE, (_, alt: string) => alt)
    .replace(HTML_IMAGE, (tag) => {
      const [, double, single] = ALT.exec(tag) ?? [];
      return tag.includes('data:') ? (double ?? single ?? '') : tag;
    })
    .replace(DATA, '$1…');
}

const FENCE = /^ {0,3}(?:> ?)*(`{3,}(?=[^`]*$)|~{3,})/;
/** Only this much of a line is looked at to find its kind. */
const LINE_HEAD_LENGTH = 1_000;
const INLINE_CODE = /(`[^`\n]+`)/;

/** A link of a note: `[[Page#Section|name]]`, or the same after `!`, which shows the page itself. */
const WIKI_LINK = /!?\[\[([^[\]\n]+)\]\](?!\()/g;
/** Where the name would be, the size of a picture can be. */
const SIZE = /^\d+(?:x\d+)?$/;
const CALLOUT = /^((?:[ \t]*>)+[ \t]*)\[!([\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*/;
/** The name of a paragraph, for links. A power such as `x ^2` has no letters, or only one. */
const BLOCK_ID = /(?:^|[ \t])\^(?=[\d-]*[A-Za-z])[\w-]{2,}[ \t]*$/;

function wikiText(link: string): string {
  const [target = '', ...rest] = link.split('|');
  const name = rest.at(-1)?.replace(/\\$/, '').trim() ?? '';
  if (name !== '' && !SIZE.test(name)) return name;
  const [page = '', ...sections] = target.replace(/\\$/, '').split('#');
  const shown = [page, ...sections.map((section) => section.replace(/^\^.*/, ''))];
  return shown
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' > ');
}

/** A line outside of code and comments. */
function visibleLine(line: string): string {
  const shown = line
    .split(INLINE_CODE)
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replace(WIKI_LINK, (_, link: string) => wikiText(link)),
    )
    .join('');
  const head = shown.slice(0, LINE_HEAD_LENGTH);
  const callout = CALLOUT.exec(head);
  if (callout === null) return shown.length > LINE_HEAD_LENGTH ? shown : shown.replace(BLOCK_ID, '');
  const [whole, quote = '', kind = ''] = callout;
  const title = shown.slice(whole.length).trim();
  return `${quote}${title === '' ? `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}` : title}`;
}

/** What opens a comment: of HTML, and of Obsidian. */
const OPENER = /<!--|%%/g;

/** Removes the comments of a document line by line. A comment that has no end is text. */
class Comments {
  readonly #lastEnds: ReadonlyMap<string, number>;
  #closer: string | null = null;

  /** @param text the whole document, in which the end of a comment is looked for */
  constructor(text: string) {
    this.#lastEnds = new Map(['-->', '%%'].map((closer) => [closer, text.lastIndexOf(closer)]));
  }

  /** Whether the line before was in a comment. */
  get isOpen(): boolean {
    return this.#closer !== null;
  }

  /**
   * The line without its comments.
   * @param at where the line begins in the document
   */
  strip(line: string, at: number): string {
    const kept: string[] = [];
    let [from, searched] = [0, 0];
    for (;;) {
      if (this.#closer !== null) {
        const end = line.indexOf(this.#closer, from);
        if (end === -1) break;
        from = end + this.#closer.length;
        searched = from;
        this.#closer = null;
      }
      OPENER.lastIndex = searched;
      const found = OPENER.exec(line);
      if (found === null) {
        kept.push(line.slice(from));
        break;
      }
      searched = found.index + found[0].length;
      const closer = found[0] === '%%' ? '%%' : '-->';
      if (!this.#isComment(line, { closer, start: found.index, after: searched }, at)) continue;
      kept.push(line.slice(from, found.index));
      from = searched;
      this.#closer = closer;
    }
    return kept.join('');
  }

  #isComment(
    line: string,
    { closer, start, after }: { closer: string; start: number; after: number },
    at: number,
  ): boolean {
    // Two percent signs can also be text, so only a comment of its own has more than one line.
    if (closer === '%%' && line.slice(0, start).trim() !== '') return line.includes('%%', after);
    return (this.#lastEnds.get(closer) ?? -1) >= at + after;
  }
}

/**
 * The text of Markdown, and of the notes of Obsidian, that a person sees. Code is not changed.
 * @param text with line breaks `\n`
 */
export function visibleMarkdown(text: string): string {
  const whole = withoutDataImages(text);
  const comments = new Comments(whole);
  const lines: string[] = [];
  let fence: string | null = null;
  let at = 0;
  for (const line of whole.split('\n')) {
    const head = line.slice(0, LINE_HEAD_LENGTH);
    const marker = comments.isOpen ? undefined : FENCE.exec(head)?.[1];
    if (fence !== null) {
      if (marker?.startsWith(fence) && head.trim().endsWith(marker)) fence = null;
      lines.push(line);
    } else if (marker !== undefined) {
      fence = marker;
      lines.push(line);
    } else {
      const kept = comments.strip(line, at);
      if (kept.trim() !== '' || line.trim() === '') lines.push(visibleLine(kept));
    }
    at += line.length + 1;
  }
  return lines.join('\n');
}
