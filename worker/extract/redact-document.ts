import type { Redaction } from '../../shared/schemas/common.ts';
import { MAX_KEPT_REDACTIONS } from '../../shared/schemas/imports.ts';
import { PLACE_TEXTS } from '../../shared/schemas/place.ts';
import { type Finding, findSecretsNow } from '../../shared/secrets/find-secrets.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { DocumentPart, PartPlace } from '../../shared/text/prepared-chunks.ts';
import { SecretFault } from './extraction.ts';

/** Code points between two parts in the text of a document: a blank line. */
const BETWEEN_PARTS = 2;

/** The texts that a document has, in storable form. */
export interface DocumentTexts {
  title: string | null;
  parts: DocumentPart[];
}

/**
 * Checks the text of a document for credentials, before it is cut.
 * @returns what is to be stored, and what was found: `/text` is all parts with a blank line between them, and
 *   `/documentTitle` the title that the document contains, and `/sheet` and the like the texts of places
 * @throws SecretFault in the mode `refuse`
 */
export function redactDocument(
  { title, parts }: DocumentTexts,
  mode: RedactionMode,
): DocumentTexts & { redactions: Redaction[] } {
  if (mode === 'off') return { title, parts, redactions: [] };
  const ofPlaces = PLACE_TEXTS.flatMap((field) =>
    [...new Set(parts.flatMap(({ place }) => place?.[field] ?? []))].map((text) => ({ field, text })),
  );
  const texts = [title ?? '', ...[...parts, ...ofPlaces].map(({ text }) => text)];
  const [ofTitle, ...others] = findSecretsNow(texts.map((text) => ({ text })));
  const ofParts = others.slice(0, parts.length);
  const inPlaces = others.slice(parts.length);
  const redactions = [
    ...(ofTitle?.findings ?? []).map((finding) => locate(finding, '/documentTitle', 0)),
    ...ofPlaces.flatMap(({ field }, index) =>
      (inPlaces[index]?.findings ?? []).map((finding) => locate(finding, `/${field}`, 0)),
    ),
  ];
  if (ofParts.some(({ findings }) => findings.length > 0)) {
    let from = 0;
    for (const [index, { text }] of parts.entries()) {
      for (const finding of ofParts[index]?.findings ?? []) redactions.push(locate(finding, '/text', from));
      from += countCodePoints(text) + BETWEEN_PARTS;
    }
  }
  const listed = redactions.slice(0, MAX_KEPT_REDACTIONS);
  if (redactions.length === 0 || mode === 'flag') return { title, parts, redactions: listed };
  if (mode === 'refuse') throw new SecretFault(listed);
  const maskedTexts = new Map(ofPlaces.map(({ text }, index) => [text, inPlaces[index]?.masked ?? '']));
  const maskPlace = (place: PartPlace): PartPlace => ({
    ...place,
    ...Object.fromEntries(
      PLACE_TEXTS.flatMap((field) =>
        place[field] === undefined ? [] : [[field, maskedTexts.get(place[field])]],
      ),
    ),
  });
  return {
    title: title === null ? null : (ofTitle?.masked ?? null),
    parts: parts.map(({ place, ...part }, index) => ({
      ...part,
      text: ofParts[index]?.masked ?? '',
      place: place === null ? null : maskPlace(place),
    })),
    redactions: listed,
  };
}

const locate = ({ rule, start, end, preview }: Finding, path: string, from: number): Redaction => ({
  rule,
  path,
  start: from + start,
  end: from + end,
  preview,
});

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit < 0xe000) count -= 1;
  }
  return count;
}
