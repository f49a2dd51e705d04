import type { Element } from 'hast';

/* What the role, the id and the classes of an element say about its purpose. */

/** Longer ids and lists of classes are cut. */
const MAX_LENGTH = 500;

/** The role of an element in lower case; empty without one. */
export function roleOf({ properties }: Element): string {
  const { role } = properties;
  return typeof role === 'string' ? role.trim().toLowerCase() : '';
}

/** Its id, classes and label, such as `site-header mainHeader`. */
function givenNames({ properties }: Element): string {
  const { id, className, ariaLabel } = properties;
  const classes = Array.isArray(className) ? className.join(' ') : '';
  return `${id ?? ''} ${classes} ${ariaLabel ?? ''}`.slice(0, MAX_LENGTH);
}

/** The words of its id, classes and label: `topNav site-menu` has `top`, `nav`, `site`, `menu`. */
function nameWords(element: Element): string[] {
  return givenNames(element)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z]+/);
}

const MENU =
  /^(?:side|toolbar|sitemap|languages?|lang|tabs|pager|pagination|pages|prev|next|prevnext|footer|header|widgets?|skip)$/;
const RELATED =
  /^(?:related|recommend[a-z]*|recirc[a-z]*|trending|popular|mostread|share|sharing|social|follow|teasers?|promos?)$/;
const CONTENTS = /^(?:toc[a-z]*|contents)$/;
const BREADCRUMBS = /^(?:breadcrumbs?|crumbs?)$/;

function isMenuWord(word: string): boolean {
  return (
    word.startsWith('nav') ||
    word.endsWith('nav') ||
    word.endsWith('sidebar') ||
    word.includes('menu') ||
    MENU.test(word)
  );
}

/** Whether its names say that its links are a menu, or lead to other pages of the site. */
export function isNamedAsLinks(element: Element): boolean {
  return (
    element.tagName === 'aside' || nameWords(element).some((word) => isMenuWord(word) || RELATED.test(word))
  );
}

/** Whether its names say that it is a table of contents. */
export function isNamedAsContents(element: Element): boolean {
  return nameWords(element).some((word) => CONTENTS.test(word));
}

/** Whether its names say that it links related pages, or other sites to share the page with. */
export function isNamedAsRelated(element: Element): boolean {
  return nameWords(element).some((word) => RELATED.test(word));
}

/** Whether it is the path from the start page of the site, or links to the pages before and after. */
export function isNamedAsPath(element: Element): boolean {
  return nameWords(element).some((word) => BREADCRUMBS.test(word) || /^pag(?:er|ination)$/.test(word));
}

const HEADER =
  /^(?:(?:site|page|main|global|top)[-_]?header|header|masthead|top-?bar|header[-_]?(?:wrap|wrapper|container|main))$/i;
const FOOTER =
  /^(?:(?:site|page|main|global)[-_]?footer|footer|colophon|bottom-?bar|footer[-_]?(?:wrap|wrapper|container|main))$/i;

/** Office programs write the name of their headers and footers as the title. */
function wholeNames({ properties }: Element): string[] {
  const { id, className, title } = properties;
  const classes = Array.isArray(className) ? className.map(String) : [];
  return [String(id ?? ''), ...classes, String(title ?? '')].map((name) => name.slice(0, MAX_LENGTH));
}

/** Whether it is named as the header of a page. */
export function isNamedAsHeader(element: Element): boolean {
  return wholeNames(element).some((name) => HEADER.test(name));
}

/** Whether it is named as the footer of a page. */
export function isNamedAsFooter(element: Element): boolean {
  return wholeNames(element).some((name) => FOOTER.test(name));
}

/** Programs that ask for consent. */
const CONSENT_PROGRAM =
  /onetrust|optanon|cookiebot|cybot|didomi|usercentrics|trustarc|truste[-_]|iubenda|qc-cmp|sp_message|osano|klaro|cmplz|borlabs|moove|cookielaw|gdpr|ccpa|cookieconsent|fc-consent|evidon|\bcc-(?:banner|window)\b/;
const CONSENT = /cookie|consent|privacy/;
const BANNER =
  /banner|bar|notice|notification|popup|pop-up|modal|overlay|message|alert|dialog|layer|warning|manager|preference|settings|toast|prompt|disclaimer|hint|info|box|container|wrap|law|accept/;

/** Whether it is named as a banner that asks for consent to cookies. */
export function isNamedAsConsent(element: Element): boolean {
  const names = givenNames(element).toLowerCase();
  return CONSENT_PROGRAM.test(names) || (CONSENT.test(names) && BANNER.test(names));
}

/** Names of only these words are those of such a banner, or of a text about cookies. */
const COOKIE_WORDS = new Set('accept agree alert consent cookie cookies eu js note site'.split(' '));

/** Whether it is named after cookies, as in `cookie-consent`. Texts about cookies are too. */
export function isNamedAfterCookies(element: Element): boolean {
  return wholeNames(element).some((name) => {
    const words = name.toLowerCase().split(/[-_\s]/);
    return words.some((word) => /^cookies?$/.test(word)) && words.every((word) => COOKIE_WORDS.has(word));
  });
}
