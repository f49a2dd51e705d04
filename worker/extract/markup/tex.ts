import { decodeText } from '../encoding/decode.ts';
import type { Extractor } from '../extraction.ts';
import { HeadedText, linesOf } from './headed-text.ts';

const LEVELS: Readonly<Record<string, number>> = {
  part: 1,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
};
/** A command whose text is in braces, perhaps after a short form in brackets. */
const COMMAND_START =
  /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph|title|date)\*?(?:\[[^[\]]*\])?\{/;
const LABEL = /^\s*\\label\{[^{}]*\}/;
/** A comment begins with a percent sign that has no backslash before it. */
const COMMENT = /(?<!\\)%/;
const MAX_LINE_LENGTH = 1_000;
const COMMAND = /\\[A-Za-z]+\*?|[{}~]/g;

/** The words of a title, without commands. */
const plain = (title: string) => title.replace(/\\\\/g, ' ').replace(COMMAND, ' ');

/** The text in braces that begins at an offset, and what follows it. Null if the line does not close it. */
function inBraces(line: string, from: number): { text: string; rest: string } | null {
  let depth = 1;
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '{') depth += 1;
    else if (line[at] === '}') depth -= 1;
    if (depth === 0) return { text: line.slice(from, at), rest: line.slice(at + 1) };
  }
  return null;
}

/** A command at the start of a line, with its text. */
function readCommand(line: string): { name: string; text: string; rest: string } | null {
  if (line.length > MAX_LINE_LENGTH) return null;
  const [whole = '', name] = COMMAND_START.exec(line) ?? [];
  const found = name === undefined ? null : inBraces(line, whole.length);
  return name === undefined || found === null ? null : { name, ...found };
}

/**
 * Reads TeX and LaTeX as they are written, without comments. Its sections are headings of the document.
 * @throws FileFault those of `decodeText`
 */
export const extractTex: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const out = new HeadedText();
  for (const whole of linesOf(text)) {
    const comment = whole.search(COMMENT);
    const line = (comment === -1 ? whole : whole.slice(0, comment)).trimEnd();
    // A line that has only a comment is no empty line.
    if (line.trim() === '' && whole.trim() !== '') continue;
    const command = readCommand(line);
    if (command?.name === 'title') out.titled(plain(command.text));
    if (command?.name === 'date') out.dated(command.text);
    const level = LEVELS[command?.name ?? ''];
    if (command === null || level === undefined) out.line(line);
    else {
      out.heading(level, plain(command.text));
      const rest = command.rest.replace(LABEL, '');
      if (rest.trim() !== '') out.line(rest.trimStart());
    }
  }
  return out.extraction(encoding);
};
