import { parseTags } from '../../shared/formats/tags.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { maskedId } from '../redaction/masked-id.ts';
import { redactFields } from '../redaction/redact-fields.ts';
import type { ParsedIngest } from './parse-ingest.ts';

/** An ingest that has been checked for credentials. */
export interface CheckedIngest extends ParsedIngest {
  redactions: Redaction[];
}

/**
 * Checks an ingest for credentials. A vector that came with a chunk in which one was masked is dropped, because it describes
 * the credential too.
 * @param ingest if it is masked, its texts are deleted from its body
 * @throws ServiceError `secret_detected`
 */
export async function redactIngest(
  mode: RedactionMode,
  teamId: string,
  ingest: ParsedIngest,
): Promise<CheckedIngest> {
  const { body } = ingest;
  const { title, text, chunks, uri, externalId, metadata, tags } = body;
  const texts = chunks?.map((chunk) => ({ text: chunk.text }));
  const checked = await redactFields(mode, { title, text, chunks: texts, uri, externalId, metadata, tags });
  checked.assertAllowed();
  const { fields, redactions } = checked;
  if (!checked.isMasked) return { ...ingest, redactions };
  const embeddings = ingest.embeddings.map((embedding, index) =>
    fields.chunks?.[index]?.text === chunks?.[index]?.text ? embedding : null,
  );
  const masked = { ...body };
  const stored = { ...fields, externalId: maskedId(teamId, externalId, fields.externalId) };
  for (const [name, value] of Object.entries(stored)) {
    if (value !== undefined) Object.assign(masked, { [name]: value });
  }
  // They would otherwise stay in memory as long as the request.
  delete body.text;
  delete body.chunks;
  return {
    ...ingest,
    body: masked,
    embeddings,
    tags: fields.tags === undefined ? null : parseTags(fields.tags),
    redactions,
  };
}
