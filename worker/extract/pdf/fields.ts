import {
  type Annotation,
  boxOf,
  lineOf,
  linesOf,
  type PlacedText,
  placeLines,
  type Rect,
  stringOf,
} from './placed-text.ts';

/** A signature as `getSignatures` of pdf.js describes it. */
export interface Signature {
  /** Begins with the id of the signature's field. */
  id: string;
  /** The last part of the field's name. */
  fieldName: string;
  signerName: string | null;
  /** A date as PDF writes it: `D:20260504…`. */
  signingTime: string | null;
}

/** How far from a check box its label is looked for, in units of the page: the width of a column of labels. */
const LABEL_DISTANCE = 120;
/** More of a label is not read, in characters. */
const MAX_LABEL_LENGTH = 500;
/** More options that are selected at once are not read. */
const MAX_SELECTED = 1_000;
/** More signatures of a document are not read. */
const MAX_SIGNATURES = 100;
/** More drawn lines of a value are not read. */
const MAX_DRAWN_LINES = 1_000;

/** Export values that only mean that a box is checked. */
const ONLY_CHECKED = /^(?:yes|on|off|true|checked|selected|ja|oui|s[ií]|sim|choice\s?\d*)$/i;
/** Shorter export values, such as numbers and single letters, are codes. */
const WORD = /\p{L}{2}/u;

/** The text that the appearance of a text field draws. */
function drawnLines({ textContent }: Annotation): string[] {
  if (!Array.isArray(textContent)) return [];
  const lines = textContent.slice(0, MAX_DRAWN_LINES).map((line) => lineOf(line));
  return lines.some((line) => line !== '') ? lines : [];
}

/** Whether a script of the field formats its value, as an amount with a currency. */
function isFormatted({ actions }: Annotation): boolean {
  const scripts: unknown = actions instanceof Map ? actions.get('Format') : undefined;
  return Array.isArray(scripts) && scripts.length > 0;
}

/**
 * The text of a text field. The value is what was entered, even if the appearance is that of an older value. The
 * appearance counts where it shows more than the value has: if a script formats it, or if there is no value.
 */
function placeTextField(field: Annotation): PlacedText[] {
  if (field.password === true) return [];
  const value = stringOf(field.fieldValue);
  const drawn = drawnLines(field);
  const isBlank = value.trim() === '';
  const lines =
    drawn.length > 0 && (isBlank || (isFormatted(field) && field.comb !== true)) ? drawn : linesOf(value);
  if (field.multiLine === true) return placeLines(field, lines, 'top');
  return placeLines(field, [lines.filter((line) => line !== '').join(' ')], 'middle');
}

/** What a choice field shows for its selected options: not their export values. */
function placeChoiceField(field: Annotation): PlacedText[] {
  const { fieldValue, options, combo } = field;
  const selected: unknown[] = Array.isArray(fieldValue) ? fieldValue.slice(0, MAX_SELECTED) : [fieldValue];
  const shown = new Map(selected.map((value) => [value, value]));
  const unnamed = new Set(shown.keys());
  for (const option of Array.isArray(options) ? (options as (Annotation | null)[]) : []) {
    if (unnamed.size === 0) break;
    const shows = typeof option?.displayValue === 'string' && option.displayValue !== '';
    if (shows && unnamed.delete(option.exportValue)) shown.set(option.exportValue, option.displayValue);
  }
  const lines = [...shown.values()].map((value) => lineOf(value)).filter((line) => line !== '');
  return combo === true ? placeLines(field, lines.slice(0, 1), 'middle') : placeLines(field, lines, 'top');
}

/** The last part of a field's name, without the index that forms of XFA add: `form[0].page[0].agree[0]` is `agree`. */
function shortName({ fieldName }: Annotation): string {
  const name = lineOf(fieldName, MAX_LABEL_LENGTH);
  return name.slice(name.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}

/** The text of an export value, which can be a PDF name: bytes of UTF-16 with its mark, or of UTF-8. */
function exportText(value: unknown): string {
  const name = stringOf(value, MAX_LABEL_LENGTH);
  if (!/^[\0-\u00ff]*[\u0080-\u00ff]/.test(name)) return lineOf(name);
  const bytes = Buffer.from(name, 'latin1');
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return lineOf(new TextDecoder(isUtf16 ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes));
  } catch {
    return lineOf(name);
  }
}

/** The label of a check box or radio button that has no text beside it. */
function labelOf(field: Annotation, exportValue: unknown): string {
  const exported = exportText(exportValue);
  const isLabel = WORD.test(exported) && !ONLY_CHECKED.test(exported);
  const labels = [lineOf(field.alternativeText, MAX_LABEL_LENGTH), isLabel ? exported : ''];
  return labels.find((label) => label !== '') ?? shortName(field);
}

function placeButton(field: Annotation, textIn: (rect: Rect) => string): PlacedText[] {
  const exportValue = field.radioButton === true ? field.buttonValue : field.exportValue;
  const box = boxOf(field);
  if (field.pushButton === true || typeof exportValue !== 'string' || box === null) return [];
  const mark = field.fieldValue === exportValue ? '[x]' : '[ ]';
  const [left, bottom, right, top] = box;
  const beside = [
    [right, bottom, right + LABEL_DISTANCE, top],
    [left - LABEL_DISTANCE, bottom, left, top],
  ] as const;
  const hasLabel = beside.some((rect) => textIn(rect).trim() !== '');
  const label = hasLabel ? '' : ` ${labelOf(field, exportValue)}`;
  return placeLines(field, [`${mark}${label}`.trim()], 'middle');
}

/** The day of a date as PDF writes it, in the time zone of the date; null if it is not one. */
function dayOfDate(date: string | null): string | null {
  const match = /^(?:D:)?(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])/.exec(date ?? '');
  return match === null ? null : match.slice(1).join('-');
}

function placeSignature(field: Annotation, signatures: readonly Signature[]): PlacedText[] {
  const known = signatures.slice(0, MAX_SIGNATURES);
  const id = `${stringOf(field.id)}:`;
  const name = stringOf(field.fieldName).split('.').at(-1);
  const signature =
    known.find((each) => each.id.startsWith(id)) ?? known.find((each) => each.fieldName === name);
  if (signature === undefined) return [];
  const signer = lineOf(signature.signerName, MAX_LABEL_LENGTH);
  const day = dayOfDate(signature.signingTime);
  const text = ['Signed', ...(signer === '' ? [] : [`by ${signer}`]), ...(day === null ? [] : [`on ${day}`])];
  return placeLines(field, [text.join(' ')], 'middle');
}

/**
 * The value of a form field at its place; nothing for an empty field and for a password.
 * @param textIn the text of the page in a rectangle
 */
export function placeField(
  field: Annotation,
  textIn: (rect: Rect) => string,
  signatures: readonly Signature[],
): PlacedText[] {
  if (field.hidden === true) return [];
  switch (field.fieldType) {
    case 'Tx':
      return placeTextField(field);
    case 'Ch':
      return placeChoiceField(field);
    case 'Btn':
      return placeButton(field, textIn);
    case 'Sig':
      return placeSignature(field, signatures);
    default:
      return [];
  }
}
