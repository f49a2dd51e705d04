import type { AnyNode } from 'acorn';
import { nodesIn, parseModule } from './syntax.ts';

/** A piece of a file that people read, and where it begins. */
export interface Prose {
  text: string;
  start: number;
}

/** The function of the terminal client that prints a number with a word: `counted(2, 'passage')`. */
const COUNTING = 'counted';

/** A block of code in a page, and the language after its fence. */
const BLOCK = /^( *)(`{3,})([^`\n]*)\n[^]*?^\1\2 *$/gm;

const spaces = (text: string) => text.replaceAll(/[^\n]/g, ' ');

/** Replaces each match by spaces, so that positions and lines stay. */
const blank = (text: string, pattern: RegExp) => text.replace(pattern, spaces);

const withoutCode = (text: string) => blank(text, /(`+)[^`]+\1/g);

/** What a Markdown page says, without code, comments and the targets of links. The labels of diagrams stay. */
function proseOfMarkdown(source: string): Prose[] {
  const withoutBlocks = source.replace(BLOCK, (block, _indent, fence: string, language: string) =>
    language === 'mermaid' ? block.replaceAll(fence, '') : spaces(block),
  );
  const withoutComments = blank(withoutBlocks, /<!--[^]*?-->/g);
  return [{ text: blank(withoutCode(withoutComments), /\]\([^)\s]*\)/g), start: 0 }];
}

/** Whether a text is for people. A single word in lower case is a name, such as a field of the API. */
const isProse = (text: string) => /\s/.test(text) || /^[A-Z]/.test(text);

function textOf(node: AnyNode): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node.type === 'TemplateElement' ? node.value.raw.replaceAll('\\`', '`') : null;
}

/** What a module says to people: its texts, without code in backticks. Comments and names are not part of it. */
function proseOfModule(source: string, isTypeScript: boolean): Prose[] {
  const counted = new Set<AnyNode>();
  return [...nodesIn(parseModule(source, isTypeScript).tree)].flatMap((node) => {
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === COUNTING)
      for (const argument of node.arguments) counted.add(argument);
    const text = textOf(node);
    if (text === null || !(isProse(text) || counted.has(node))) return [];
    return [{ text: withoutCode(text), start: node.start }];
  });
}

/** What people read of a page, a module or another file. */
export function proseOf(file: string, source: string): Prose[] {
  if (file.endsWith('.md')) return proseOfMarkdown(source);
  return /[.][jt]s$/.test(file) ? proseOfModule(source, file.endsWith('.ts')) : [{ text: source, start: 0 }];
}
