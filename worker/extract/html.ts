import type { Element, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import type { Unread } from '../../shared/schemas/unread.ts';
import { decodeMarkup } from './encoding/markup.ts';
import { type Extractor, FileFault } from './extraction.ts';
import { removeHidden } from './html/hidden.ts';
import { leaveOut } from './html/left-out.ts';
import { treeToMarkdown } from './html/markdown.ts';
import { prepareTree } from './html/prepare.ts';
import { textOf } from './html/tree.ts';
import { documentTitle } from './properties/titles.ts';

/** The text of an HTML page. */
export interface HtmlDocument {
  /** The text of the `title` element; null if it is missing or blank. */
  title: string | null;
  markdown: string;
}

function titleOf(tree: Root): string | null {
  const isElement = (name: string) => (node: { type: string; tagName?: string }) => node.tagName === name;
  const html = tree.children.find(isElement('html')) as Element | undefined;
  const head = html?.children.find(isElement('head')) as Element | undefined;
  const title = head?.children.find(isElement('title')) as Element | undefined;
  return title === undefined ? null : documentTitle(textOf(title));
}

/**
 * Parses a page and removes what it hides, then reads it.
 * @throws FileFault `too_deep`
 */
function readTree<Read>(html: string, read: (tree: Root, hasHidden: boolean) => Read): Read {
  try {
    const tree = fromHtml(html.toWellFormed());
    return read(tree, removeHidden(tree));
  } catch (error) {
    // The libraries walk the tree recursively, so deep nesting overflows the stack.
    if (error instanceof RangeError) {
      throw new FileFault(
        'too_deep',
        'The document is nested too deeply to be read: save it in a simpler form.',
      );
    }
    throw error;
  }
}

function documentOf(tree: Root): HtmlDocument {
  const title = titleOf(tree);
  prepareTree(tree);
  return { title, markdown: treeToMarkdown(tree) };
}

/**
 * Reads an HTML document: its text with headings, lists, tables and code, as Markdown. Parts that a reader does not see
 * (scripts, styles, comments, hidden text, addresses of links and images) are left out.
 * @throws FileFault `too_deep`
 */
export function readHtml(html: string): HtmlDocument {
  return readTree(html, documentOf);
}

/**
 * Reads a page of a site: like `readHtml`, but without what is around its content, such as menus.
 * @throws FileFault `too_deep`
 */
function readPage(html: string): HtmlDocument & { leftOut: string[] } {
  return readTree(html, (tree, hasHidden) => {
    const leftOut = [...leaveOut(tree), ...(hasHidden ? ['hidden text'] : [])];
    return { ...documentOf(tree), leftOut };
  });
}

/**
 * The text of a page of HTML as Markdown; see `readHtml`.
 * @throws FileFault `too_deep`
 */
export function htmlToMarkdown(html: string): string {
  return readHtml(html).markdown;
}

/** Elements that are always empty in HTML too. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * An empty element in XML's short form. Its attributes cannot contain `<`, which limits the search. The lookahead makes
 * the name complete. Without it, the expression would try every way to split the name into a name and attributes.
 */
const EMPTY_ELEMENT = /<([A-Za-z][\w:.-]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g;

/**
 * Converts XHTML to HTML: an empty `<title/>` or `<div/>` gets an end tag. Without it, an HTML parser would treat
 * everything that follows as its content.
 */
export function xhtmlAsHtml(text: string): string {
  return text.replace(EMPTY_ELEMENT, (all, name: string, attributes: string) =>
    VOID.test(name) ? all : `<${name}${attributes}></${name}>`,
  );
}

/** A file that starts with this is read as XHTML. */
const XHTML_START =
  /^\ufeff?\s*<\?xml\s|<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const START_LENGTH = 2_000;

/** Whether an HTML file declares that it is XHTML. */
function isXhtml(text: string): boolean {
  return XHTML_START.test(text.slice(0, START_LENGTH));
}

/** HTML and XHTML: one part, with the page's headings, lists, tables and code. */
export const extractHtml: Extractor = (content) => {
  const { text, encoding } = decodeMarkup(content, { xml: false });
  const { title, markdown, leftOut } = readPage(isXhtml(text) ? xhtmlAsHtml(text) : text);
  const unread: Unread[] = leftOut.length === 0 ? [] : [{ kind: 'part', names: leftOut, reason: 'left_out' }];
  const parts = [{ text: markdown, place: null }];
  return { title, parts, encoding, ...(unread.length === 0 ? {} : { unread }) };
};
