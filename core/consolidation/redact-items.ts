import { parseTags } from '../../shared/formats/tags.ts';
import type { ConsolidatedItem } from '../../shared/schemas/consolidation.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { type CheckedFields, redactFields } from '../redaction/redact-fields.ts';
import type { ParsedItem } from './parse-items.ts';

/**
 * Checks the items of a complete for credentials. A vector that came with an item in which one was masked is dropped,
 * because it describes the credential too.
 * @param given the items of the request
 * @param parsed the same, parsed
 */
export async function redactItems(
  mode: RedactionMode,
  given: readonly ConsolidatedItem[],
  parsed: readonly ParsedItem[],
): Promise<CheckedFields<readonly ParsedItem[]>> {
  const texts = given.map(({ title, content, metadata, tags }) => ({ title, content, metadata, tags }));
  const { fields, ...checked } = await redactFields(mode, { items: texts });
  if (!checked.isMasked) return { ...checked, fields: parsed };
  const masked = parsed.map((item, index): ParsedItem => {
    const { text } = item;
    if (text === null) return item;
    const {
      title = text.title,
      content = text.content,
      metadata = {},
      tags = [],
    } = fields.items[index] ?? {};
    const isSame = title === text.title && content === text.content;
    const embedding = isSame ? text.embedding : null;
    return { ...item, text: { ...text, title, content, metadata, tags: parseTags(tags), embedding } };
  });
  return { ...checked, fields: masked };
}
