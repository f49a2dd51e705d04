import { decodeText } from '../encoding/decode.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { joinBlocks, oneLine, withoutHeadings } from '../text.ts';
import { type ContentLine, readContentLines, textValue } from './content-lines.ts';

/** What is shown of a contact, in this order, by the property of vCard. */
const FIELDS: readonly [label: string, ...properties: string[]][] = [
  ['Contact', 'FN', 'N'],
  ['Nickname', 'NICKNAME'],
  ['Organization', 'ORG'],
  ['Title', 'TITLE'],
  ['Role', 'ROLE'],
  ['Email', 'EMAIL'],
  ['Phone', 'TEL'],
  ['Address', 'ADR'],
  ['Birthday', 'BDAY'],
  ['Link', 'URL'],
  ['Categories', 'CATEGORIES'],
  ['Note', 'NOTE'],
];

/** A value of several components, such as an address: `;;Main Street 1;Berlin;;10115;Germany`. */
function componentsOf(line: ContentLine): string {
  const parts = line.value.split(/(?<!\\);/);
  const texts = parts.map((value) => oneLine(textValue({ ...line, value })));
  return texts.filter((text) => text !== '').join(', ');
}

/** A contact as lines. Pictures, sounds and keys are left out. */
function contactText(lines: readonly ContentLine[]): string {
  const texts = FIELDS.map(([label, ...properties]) => {
    const found = properties
      .map((property) => lines.filter(({ name }) => name === property))
      .find((each) => each.length > 0);
    const values = (found ?? []).map((line) => componentsOf(line).replace(/^(?:mailto|tel):/i, ''));
    return values.some((value) => value !== '')
      ? `${label}: ${values.filter((value) => value !== '').join('; ')}`
      : '';
  });
  return withoutHeadings(texts.filter((text) => text !== '').join('\n'));
}

/**
 * Reads contacts (vCard, RFC 6350): a block of lines for each.
 * @throws FileFault `invalid_contacts` and those of `decodeText`
 */
export const extractContacts: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const contacts: ContentLine[][] = [];
  for (const line of readContentLines(text)) {
    if (line.name === 'BEGIN' && line.value.trim().toUpperCase() === 'VCARD') contacts.push([]);
    else contacts.at(-1)?.push(line);
  }
  if (contacts.length === 0) {
    throw new FileFault(
      'invalid_contacts',
      'The file has no contacts: it has no line "BEGIN:VCARD". Export it again from the address book.',
    );
  }
  return { title: null, parts: [{ text: joinBlocks(contacts.map(contactText)), place: null }], encoding };
};
