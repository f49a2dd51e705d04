import type { Block } from '../../text.ts';
import { labelled, listBlock } from '../list-label.ts';
import type { Numbering } from './numbering.ts';
import type { ParagraphText } from './paragraph-text.ts';
import type { Properties } from './properties.ts';
import { NO_OUTLINE, type ParagraphStyle, type Styles } from './styles.ts';

/** A longer heading is a paragraph that only has the style of one, such as the clause of a contract. In characters. */
const MAX_HEADING = 300;

/** The lists that paragraphs belong to. */
export interface ParagraphForms {
  styles: Styles;
  numbering: Numbering;
}

/** The list of a paragraph and its level. Numbering that the paragraph itself has counts more than that of its style. */
function listOf(
  given: Properties,
  style: ParagraphStyle,
  numbering: Numbering,
): [numId: string, ilvl: number] | null {
  const numId = given.numId ?? style.numId;
  // The number 0 takes a paragraph out of the list of its style.
  if (numId === null || numId === '0') return null;
  const ofStyle = given.numId === undefined ? numbering.levelOfStyle(numId, style.id) : null;
  return [numId, given.ilvl ?? ofStyle ?? style.ilvl ?? 0];
}

/** A paragraph that has ended. */
export interface EndedParagraph {
  text: ParagraphText;
  properties: Properties;
}

/**
 * The block of a paragraph, with the number that its list shows; null if there is nothing to see. The paragraphs of a list
 * must be given in order.
 * @param isInCell whether it is in the cell of a table, where a number without text is a row's number
 */
export function paragraphBlock(
  { text: given, properties }: EndedParagraph,
  { styles, numbering }: ParagraphForms,
  isInCell: boolean,
): Block | null {
  const style = styles.paragraph(properties.style ?? null);
  const text = given.end(style.isCode);
  // A paragraph with nothing to see, whose mark is hidden, takes no room and no number.
  if (text.trim() === '' && properties.isMarkHidden === true) return null;
  if (style.isCode) return { kind: 'code', text };
  const list = listOf(properties, style, numbering);
  const label = list === null ? null : numbering.count(...list);
  if (text === '' && !isInCell) return null;
  const level = levelOf(properties, style);
  if (level !== null && text.length <= MAX_HEADING)
    return { kind: 'heading', level, text: labelled(label, text) };
  return label === null ? { kind: 'paragraph', text } : listBlock(label, (list?.[1] ?? 0) + 1, text);
}

function levelOf({ outline }: Properties, style: ParagraphStyle): number | null {
  if (outline === undefined) return style.level;
  return outline < NO_OUTLINE ? outline + 1 : null;
}
