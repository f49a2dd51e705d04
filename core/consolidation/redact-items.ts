import type { ConsolidatedItem } from '../../shared/schemas/consolidation.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { type CheckedFields, redactFields } from '../redaction/redact-fields.ts';

/**
 * Checks the items of a complete for credentials. A vector that came with an item in which one was masked is dropped,
 * because it describes the credential too.
 */
export async function redactItems(
  mode: RedactionMode,
  items: readonly ConsolidatedItem[],
): Promise<CheckedFields<readonly ConsolidatedItem[]>> {
  const texts = items.map(({ title, content, metadata, tags }) => ({ title, content, metadata, tags }));
  const { fields, ...checked } = await redactFields(mode, { items: texts });
  if (!checked.isMasked) return { ...checked, fields: items };
  const masked = items.map((item, index): ConsolidatedItem => {
    const { embedding, ...rest } = item;
    const own = Object.entries(fields.items[index] ?? {}).filter(([, value]) => value !== undefined);
    const result = { ...rest, ...Object.fromEntries(own) };
    const isSame = result.title === item.title && result.content === item.content;
    return embedding !== undefined && isSame ? { ...result, embedding } : result;
  });
  return { ...checked, fields: masked };
}
