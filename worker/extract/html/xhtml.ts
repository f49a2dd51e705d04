/** Elements that HTML too knows to be empty. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * An empty element in XML's short form. No `<` can stand in its attributes, which bounds the search. The name must be
 * whole: its letters could be attributes too, and each way to divide them would be tried.
 */
const EMPTY_ELEMENT = /<([A-Za-z][\w:.-]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g;

/**
 * XHTML as HTML: an empty `<title/>` or `<div/>` gets its end tag, without which a reader of HTML would take all
 * that follows for its content.
 */
export function xhtmlAsHtml(text: string): string {
  return text.replace(EMPTY_ELEMENT, (all, name: string, attributes: string) =>
    VOID.test(name) ? all : `<${name}${attributes}></${name}>`,
  );
}

/** What the start of a file must say for it to be read as XHTML. */
const XHTML_START =
  /^\ufeff?\s*<\?xml\s|<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const START_LENGTH = 2_000;

/** Whether a file that is called HTML is XHTML, by its own word. */
export function isXhtml(text: string): boolean {
  return XHTML_START.test(text.slice(0, START_LENGTH));
}
