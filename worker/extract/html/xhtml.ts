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
export function isXhtml(text: string): boolean {
  return XHTML_START.test(text.slice(0, START_LENGTH));
}
