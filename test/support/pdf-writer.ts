/**
 * Writes a PDF by hand: as much of ISO 32000-1 as documents for tests need. Objects are numbered in the order in
 * which they are added; a string is written unchanged, and `pdfText` makes one from text.
 */

import { createHash } from 'node:crypto';

/** Text as a hexadecimal string of UTF-16, as titles are written. */
export function pdfText(text: string): string {
  return `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
}

/** A line of text: where it stands, and its bytes in the encoding of the font. */
export interface PdfTextLine {
  x?: number;
  y: number;
  size?: number;
  font?: string;
  bytes: string | Uint8Array;
}

/** An annotation: the entries of its dictionary, and the content stream that draws it, with the font `F1`. */
export interface PdfAnnotation {
  entries: string;
  drawn?: string;
  /** The index of its page; the first page if left out. */
  page?: number;
}

export interface PdfPlan {
  /** Each page's lines and drawing operators, in order; a page without any is a picture of one. */
  pages: readonly (readonly (PdfTextLine | string)[])[];
  /** Entries of each page, as `/Rotate 90`. */
  pageEntries?: string;
  /** Groups of optional content, and whether they are shown: `/OC /Name BDC` begins what belongs to one, `EMC` ends it. */
  layers?: Readonly<Record<string, boolean>>;
  /** Forms: their names, and the operators that draw them, which can draw other forms: `/Name Do`. */
  forms?: Readonly<Record<string, string>>;
  /** Entries of the document's information, as `/Title (...)`. */
  info?: string;
  /** Fonts beside `F1`, which is Helvetica with the encoding of Windows: name and dictionary. */
  fonts?: Readonly<Record<string, string>>;
  /** How often the list of pages names them all; once if left out. */
  listed?: number;
  /** Operators that draw on each page below its text, such as rules, by the index of the page. */
  drawn?: readonly string[];
  /**
   * Annotations of pages. In a document of one page the first is object 5, the next 6. Those with a field type are
   * fields of the form.
   */
  annotations?: readonly PdfAnnotation[];
  /** Entries of the form, beside its fields. */
  form?: string;
  /** The names of files that are attached to the document. */
  files?: readonly string[];
  /** Encrypts the document. With an empty one it opens without being asked. */
  userPassword?: string;
}

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** A font whose glyphs are those of a character collection of Adobe, chosen by one of the CMaps known to readers. */
export function cidFont(cmap: string, collection: string): string {
  return (
    `<< /Type /Font /Subtype /Type0 /BaseFont /Test-${cmap} /Encoding /${cmap} /DescendantFonts [` +
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Test /CIDSystemInfo ` +
    `<< /Registry <41646f6265> /Ordering <${Buffer.from(collection).toString('hex')}> /Supplement 0 >> /DW 1000 ` +
    `/FontDescriptor << /Type /FontDescriptor /FontName /Test /Flags 4 /FontBBox [0 -200 1000 900] ` +
    `/ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >> >> ] >>`
  );
}

/** A font whose glyphs are those of a text by their names, one for each character, and the text in its codes. */
export function glyphFont(text: string): { font: string; bytes: Uint8Array } {
  const glyphs = [...new Set(text)];
  const names = glyphs.map(
    (glyph) => `/uni${glyph.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return {
    font: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /Differences [65 ${names.join(' ')}] >> >>`,
    bytes: Uint8Array.from(text, (glyph) => 65 + glyphs.indexOf(glyph)),
  };
}

function draw(item: PdfTextLine | string): string {
  if (typeof item === 'string') return `${item}\n`;
  const { x = 50, y, size = 12, font = 'F1', bytes } = item;
  return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm <${Buffer.from(bytes).toString('hex')}> Tj ET\n`;
}

/** A grey square, as a scan is a picture. */
const PICTURE = 'q 100 0 0 100 50 600 cm 0.5 g 0 0 1 1 re f Q\n';

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const FILE_ID = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const PERMISSIONS = -4;

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => ([state[a], state[b]] = [state[b]!, state[a]!]);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(data).map((byte) => {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    return byte ^ state[(state[i]! + state[j]!) & 255]!;
  }) as Buffer;
}

const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const padded = (password: string) => Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);

/** The standard handler, revision 2: the key of the document and its entry in the trailer. */
function encryption(userPassword: string): { key: Buffer; dictionary: string } {
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(userPassword));
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(padded(userPassword), owner, permissions, FILE_ID).subarray(0, 5);
  const user = rc4(key, PADDING);
  return {
    key,
    dictionary:
      `<< /Filter /Standard /V 1 /R 2 /P ${PERMISSIONS} ` +
      `/O <${owner.toString('hex')}> /U <${user.toString('hex')}> >>`,
  };
}

function encryptStream(key: Uint8Array, object: number, data: Uint8Array): Buffer {
  const number = Buffer.from([object & 255, object >> 8, 0, 0, 0]);
  return rc4(md5(key, number).subarray(0, 10), data);
}

const references = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${from + index} 0 R`);

/** The annotations of each page that has some, as the entry of the page. */
function annotsOfPages(annotations: readonly PdfAnnotation[], first: number): Map<number, string> {
  const all = references(first, annotations.length);
  const ofPages = Map.groupBy(all.keys(), (index) => annotations[index]?.page ?? 0);
  return new Map(
    [...ofPages].map(([page, own]) => [page, `/Annots [${own.map((index) => all[index]).join(' ')}] `]),
  );
}

function catalog(
  { annotations = [], form = '', files = [], layers = {} }: PdfPlan,
  firstAnnotation: number,
  firstLayer: number,
): string {
  const groups = references(firstLayer, Object.keys(layers).length);
  const hidden = groups.filter((_, index) => Object.values(layers)[index] === false);
  const all = references(firstAnnotation, annotations.length);
  const fields = all.filter((_, index) => annotations[index]?.entries.includes('/FT '));
  const attached = files.map((name) => `${pdfText(name)} << /Type /Filespec /UF ${pdfText(name)} >>`);
  return (
    '<< /Type /Catalog /Pages 2 0 R ' +
    (fields.length === 0 ? '' : `/AcroForm << /Fields [${fields.join(' ')}] ${form} >> `) +
    (groups.length === 0
      ? ''
      : `/OCProperties << /OCGs [${groups.join(' ')}] /D << /OFF [${hidden.join(' ')}] >> >> `) +
    (files.length === 0 ? '' : `/Names << /EmbeddedFiles << /Names [${attached.join(' ')}] >> >> `) +
    '>>'
  );
}

function formObject(drawn: string, resources: string, box = '0 0 595 842'): string {
  return (
    `<< /Type /XObject /Subtype /Form /BBox [${box}] /Resources ${resources} ` +
    `/Length ${drawn.length} >>\nstream\n${drawn}\nendstream`
  );
}

const appearance = (drawn: string) => formObject(drawn, `<< /Font << /F1 ${HELVETICA} >> >>`, '0 0 200 50');

/** Writes the document; information is left out of an encrypted one, whose strings would be encrypted too. */
export function writePdf(plan: PdfPlan): Buffer {
  const { pages, info, fonts = {}, listed = 1, userPassword, annotations = [], drawn: below = [] } = plan;
  const { layers = {}, forms = {}, pageEntries = '' } = plan;
  const locked = userPassword === undefined ? null : encryption(userPassword);
  const objects: (string | Buffer)[] = [];
  const add = (object: string | Buffer) => objects.push(object);
  const firstPage = 3;
  const firstAnnotation = firstPage + 2 * pages.length;
  const firstForm =
    firstAnnotation + annotations.length + annotations.filter(({ drawn }) => drawn !== undefined).length;
  const firstLayer = firstForm + Object.keys(forms).length;
  add(catalog(plan, firstAnnotation, firstLayer));
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`);
  add(
    `<< /Type /Pages /Kids [${`${kids.join(' ')} `.repeat(listed).trim()}] /Count ${listed * pages.length} >>`,
  );
  const named = (names: object, first: number) =>
    Object.keys(names)
      .map((name, index) => `/${name} ${first + index} 0 R`)
      .join(' ');
  const fontList = Object.entries({ F1: HELVETICA, ...fonts }).map(([name, font]) => `/${name} ${font}`);
  const resources =
    `<< /Font << ${fontList.join(' ')} >> /XObject << ${named(forms, firstForm)} >> ` +
    `/Properties << ${named(layers, firstLayer)} >> >>`;
  const annots = annotsOfPages(annotations, firstAnnotation);
  for (const [index, lines] of pages.entries()) {
    const contents = objects.length + 2;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} 0 R ` +
        `/Resources ${resources} ${pageEntries} ${annots.get(index) ?? ''}>>`,
    );
    const text = lines.length === 0 ? PICTURE : lines.map(draw).join('');
    const drawn = Buffer.from((below[index] ?? '') + text);
    const data = locked === null ? drawn : encryptStream(locked.key, contents, drawn);
    const head = `<< /Length ${data.length} >>\nstream\n`;
    add(Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream')]));
  }
  const streams = annotations.flatMap(({ drawn }) => (drawn === undefined ? [] : [appearance(drawn)]));
  let nextStream = firstAnnotation + annotations.length;
  for (const { entries, drawn } of annotations) {
    const shown = drawn === undefined ? '' : ` /AP << /N ${nextStream++} 0 R >>`;
    add(`<< /Type /Annot ${entries}${shown} >>`);
  }
  for (const stream of streams) add(stream);
  for (const drawn of Object.values(forms)) add(formObject(drawn, resources));
  for (const name of Object.keys(layers)) add(`<< /Type /OCG /Name ${pdfText(name)} >>`);
  const extra: string[] = [];
  if (info !== undefined && locked === null) extra.push(`/Info ${add(`<< ${info} >>`)} 0 R`);
  if (locked !== null) extra.push(`/Encrypt ${add(locked.dictionary)} 0 R`);
  return assemble(objects, extra.join(' '));
}

/** Numbers the objects, and puts the table of where they stand below them. */
function assemble(objects: readonly (string | Buffer)[], extra: string): Buffer {
  const pieces = [Buffer.from('%PDF-1.4\n%âãÏÓ\n', 'latin1')];
  let length = pieces[0]!.length;
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    for (const text of [`${index + 1} 0 obj\n`, object, '\nendobj\n']) {
      const piece = Buffer.from(text);
      pieces.push(piece);
      length += piece.length;
    }
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const id = FILE_ID.toString('hex');
  const end =
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}` +
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /ID [<${id}> <${id}>] ${extra} >>\n` +
    `startxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(end)]);
}
