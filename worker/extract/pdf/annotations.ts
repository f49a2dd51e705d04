import { placeField, type Signature } from './fields.ts';
import {
  type Annotation,
  boxOf,
  lineOf,
  linesOf,
  type PlacedText,
  placeLines,
  type Rect,
  rectOf,
  stringOf,
} from './placed-text.ts';

export type { Signature } from './fields.ts';
export type { PlacedText, Rect } from './placed-text.ts';

/** What a person sees on a page beside its text. */
export interface PageExtras {
  /** Takes part in the layout of the page. */
  placed: PlacedText[];
  /** Lines that go below the text of the page. */
  notes: string[];
}

/** More annotations of a page are not read. */
const MAX_ANNOTATIONS = 20_000;
/** How often the text of the page is looked up. Later labels, highlights and links have no text. */
const MAX_LOOKUPS = 10_000;
/** When a page has given so many characters, its other annotations are not read. */
const MAX_PAGE_LENGTH = 1_000_000;
/** What an entry counts beside its characters. */
const ENTRY_LENGTH = 20;
/** More of the text under a highlight or a link is not read, in characters. */
const MAX_QUOTE_LENGTH = 2_000;
/** Longer URLs are left out: a part of one leads nowhere. */
const MAX_URL_LENGTH = 2_000;
const MAX_NAME_LENGTH = 255;
/** More attached files are not named. */
const MAX_ATTACHMENTS = 1_000;

/** Bits of an annotation's flags (ISO 32000-1, table 165). */
const HIDDEN = 1 << 1;
const NO_VIEW = 1 << 5;

const MARKUP = new Set(['Highlight', 'Underline', 'Squiggly', 'StrikeOut']);
/** Annotations whose contents are drawn on the page. */
const DRAWN = new Set(['FreeText', 'Stamp']);
/** Annotations whose contents are shown when a person opens them. */
const COMMENTED = new Set([
  'Text',
  'Line',
  'Square',
  'Circle',
  'Polygon',
  'PolyLine',
  'Caret',
  'Ink',
  'FileAttachment',
]);
const EXTERNAL_URL = /^(?:https?|mailto):/i;

function isAnnotation(value: unknown): value is Annotation {
  return typeof value === 'object' && value !== null;
}

function isHidden({ annotationFlags }: Annotation): boolean {
  return typeof annotationFlags === 'number' && (annotationFlags & (HIDDEN | NO_VIEW)) !== 0;
}

/** A text to compare with others: without white space, which differs where lines are broken. */
const compact = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

/** Whether a text shows a URL, perhaps without its scheme, `www.` and the slash at the end. */
function showsUrl(text: string, url: string): boolean {
  const bare = (each: string) => compact(each).replace(/^(?:https?:\/\/|mailto:)?(?:www\.)?/, '');
  let decoded = url;
  try {
    decoded = decodeURI(url);
  } catch {
    // The URL has bytes that are not UTF-8, so the text shows them as they are.
  }
  return [url, decoded].some((each) => bare(text).includes(bare(each).replace(/\/$/, '')));
}

/** Collects what the annotations of one page show. */
class ExtrasReader {
  readonly placed: PlacedText[] = [];
  readonly #textIn: (rect: Rect) => string;
  readonly #signatures: readonly Signature[];
  readonly #notes = new Set<string>();
  /** The text of each link, by URL. */
  readonly #links = new Map<string, string>();
  #lastUrl = '';
  /** The annotations that are shown, of which replies are shown too. */
  readonly #shownIds = new Set<unknown>();
  #lookups = 0;
  #length = 0;

  constructor(textIn: (rect: Rect) => string, signatures: readonly Signature[]) {
    this.#textIn = textIn;
    this.#signatures = signatures;
  }

  get isFull(): boolean {
    return this.#length > MAX_PAGE_LENGTH;
  }

  get notes(): string[] {
    const links = [...this.#links]
      .filter(([url, text]) => !showsUrl(text, url))
      .map(([url, text]) => `Link: ${text === '' ? '' : `${text} `}<${url}>`);
    return [...this.#notes, ...links];
  }

  read(annotation: Annotation): void {
    const { subtype } = annotation;
    if (!this.#isShown(annotation) || typeof subtype !== 'string') return;
    if (subtype === 'Widget') {
      this.#place(placeField(annotation, this.#lookUp, this.#signatures));
    } else if (DRAWN.has(subtype)) {
      this.#readDrawn(annotation);
    } else if (MARKUP.has(subtype)) {
      this.#readMarkup(annotation);
    } else if (COMMENTED.has(subtype)) {
      this.#addComment(annotation, '');
    } else if (subtype === 'Link') {
      this.#readLink(annotation);
    }
  }

  /**
   * Replies are shown with the comment to which they belong, not by themselves (ISO 32000-1, table 170), so programs
   * set the hidden flag of a reply. What reviewers set, such as "accepted", is also a reply, and is not a comment.
   */
  #isShown(annotation: Annotation): boolean {
    const { id, inReplyTo, replyType, state } = annotation;
    const isReply = typeof inReplyTo === 'string' && replyType !== 'Group' && typeof state !== 'string';
    if (isHidden(annotation) && !(isReply && this.#shownIds.has(inReplyTo))) return false;
    this.#shownIds.add(id);
    return true;
  }

  readonly #lookUp = (rect: Rect): string => {
    this.#lookups += 1;
    return this.#lookups > MAX_LOOKUPS ? '' : this.#textIn(rect);
  };

  #place(texts: readonly PlacedText[]): void {
    for (const text of texts) {
      this.placed.push(text);
      this.#length += text.text.length + ENTRY_LENGTH;
    }
  }

  #note(note: string): void {
    this.#notes.add(note);
    this.#length += note.length + ENTRY_LENGTH;
  }

  /** The text that a person typed on the page: the contents, or what is drawn if there are none. */
  #readDrawn(annotation: Annotation): void {
    const { textContent } = annotation;
    const contents = contentsOf(annotation);
    const drawn = Array.isArray(textContent) ? textContent.map((line) => stringOf(line)).join('\n') : '';
    this.#place(placeLines(annotation, linesOf(contents.trim() === '' ? drawn : contents), 'top'));
  }

  #readMarkup(annotation: Annotation): void {
    const quote = this.#quote(annotation);
    if (quote !== '') this.#note(`Highlighted: "${quote}"`);
    this.#addComment(annotation, quote);
  }

  /** Adds the contents of an annotation as a note. pdf.js repeats those of the main annotation in each of its group. */
  #addComment(annotation: Annotation, quote: string): void {
    if (annotation.replyType === 'Group') return;
    const contents = lineOf(contentsOf(annotation));
    const repeated = annotation.subtype === 'FileAttachment' ? fileNameOf(annotation.file) : quote;
    if (contents === '' || compact(contents) === compact(repeated)) return;
    const author = authorOf(annotation);
    this.#note(
      `Note${author === '' ? '' : ` by ${author}`}${quote === '' ? '' : ` on "${quote}"`}: ${contents}`,
    );
  }

  /**
   * A link that is broken into lines is one annotation each, so the texts of consecutive links are joined. The contents
   * of a link describe it where it has no text, such as a picture.
   */
  #readLink(annotation: Annotation): void {
    const { url } = annotation;
    if (typeof url !== 'string' || url.length > MAX_URL_LENGTH || !EXTERNAL_URL.test(url)) return;
    const known = this.#links.get(url);
    if (known !== undefined && (url !== this.#lastUrl || known.length > MAX_QUOTE_LENGTH)) return;
    this.#lastUrl = url;
    const quote = this.#quote(annotation) || lineOf(contentsOf(annotation), MAX_QUOTE_LENGTH);
    const text = known === undefined || known === quote ? quote : `${known} ${quote}`.trim();
    this.#links.set(url, text);
    if (known === undefined) this.#length += url.length + ENTRY_LENGTH;
    this.#length += text.length - (known ?? '').length;
  }

  /** The text of the page under an annotation. */
  #quote(annotation: Annotation): string {
    const texts: string[] = [];
    let length = 0;
    for (const rect of quadsOf(annotation)) {
      if (length >= MAX_QUOTE_LENGTH) break;
      const text = lineOf(this.#lookUp(rect), MAX_QUOTE_LENGTH);
      if (text === '') continue;
      texts.push(text);
      length += text.length;
    }
    return lineOf(texts.join(' '), MAX_QUOTE_LENGTH);
  }
}

/** Who wrote an annotation. LibreOffice 7 writes the day after the name, and a comma after it. */
function authorOf({ titleObj }: Annotation): string {
  const author = lineOf((titleObj as Annotation | null | undefined)?.str, MAX_NAME_LENGTH);
  return author.endsWith(',') ? author.slice(0, -1) : author;
}

/** The comment of an annotation. Some programs write it only as rich text. */
function contentsOf({ contentsObj, richText }: Annotation): string {
  const contents = stringOf((contentsObj as Annotation | null | undefined)?.str);
  return contents.trim() === '' ? stringOf((richText as Annotation | null | undefined)?.str) : contents;
}

/** The rectangles that an annotation marks, one for each line of text; its own one if it does not state them. */
function* quadsOf(annotation: Annotation): Generator<Rect> {
  const { quadPoints } = annotation;
  if (!(quadPoints instanceof Float32Array) || quadPoints.length < 8) {
    const box = boxOf(annotation);
    if (box !== null) yield box;
    return;
  }
  for (let at = 0; at + 8 <= quadPoints.length; at += 8) {
    // pdf.js orders the corners: top left, top right, bottom left, bottom right.
    const [left, top, , , , , right, bottom] = quadPoints.subarray(at, at + 8);
    const rect = rectOf([left, bottom, right, top]);
    if (rect !== null) yield rect;
  }
}

/** The name of a file that pdf.js describes; it calls a file without a name `unnamed`. */
function fileNameOf(file: unknown): string {
  const { filename, rawFilename } = isAnnotation(file) ? file : {};
  return rawFilename === '' ? '' : lineOf(filename, MAX_NAME_LENGTH);
}

/**
 * What a person sees on a page beside its text: values of form fields, texts that were typed on the page, comments,
 * highlights and links to other sites. Nothing that is hidden, and no password.
 * @param annotations those of the page, as `DocumentAnnotations` or `getAnnotations` of pdf.js give them
 * @param textIn the text of the page in a rectangle; empty if there is none
 * @param signatures what `getSignatures` of the document gives
 */
export function readAnnotations(
  annotations: readonly unknown[],
  textIn: (rect: Rect) => string,
  signatures: readonly Signature[] = [],
): PageExtras {
  const reader = new ExtrasReader(textIn, signatures);
  for (const annotation of annotations.slice(0, MAX_ANNOTATIONS)) {
    if (reader.isFull) break;
    if (isAnnotation(annotation)) reader.read(annotation);
  }
  return { placed: reader.placed, notes: reader.notes };
}

/**
 * The names of the files that are attached to a document or to its pages, each once.
 * @param attachments what `getAttachments` of the document gives
 * @param annotations the annotations of its pages
 */
export function attachmentNames(
  attachments: ReadonlyMap<string, unknown> | null,
  annotations: Iterable<unknown> = [],
): string[] {
  const names = new Set<string>();
  const add = (file: unknown) => {
    const name = fileNameOf(file);
    if (name !== '' && names.size < MAX_ATTACHMENTS) names.add(name);
  };
  for (const file of attachments?.values() ?? []) add(file);
  for (const annotation of annotations) {
    if (!isAnnotation(annotation) || annotation.subtype !== 'FileAttachment' || isHidden(annotation))
      continue;
    add(annotation.file);
  }
  return [...names];
}
