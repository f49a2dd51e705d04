import { ServiceError } from '../../shared/errors.ts';
import { runInSteps } from '../../shared/resources/yield-between-steps.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { FieldTexts } from './field-texts.ts';

/** The most that an answer lists. All are masked. */
const MAX_LISTED = 1000;

/** Fields of a request that were checked for credentials. */
export interface CheckedFields<T> {
  /** What can be stored: the fields themselves or, in the mode `redact`, with masks in place of the credentials. */
  fields: T;
  /** Whether `fields` differ from those that were given. */
  isMasked: boolean;
  /** What was found, at most 1,000. */
  redactions: Redaction[];
  /**
   * Must be called before anything is stored, after every other check of the request.
   * @throws ServiceError `secret_detected` in the mode `refuse` if there is a credential
   */
  assertAllowed: () => void;
}

/**
 * Checks all texts in the fields of a request for credentials: strings and names of fields, at any depth. Long texts are
 * checked in steps between which other requests are served.
 * @param fields of the form that they have in the request, because the paths of the findings are made from it
 * @param path JSON pointer of `fields` in the request
 */
export async function redactFields<T>(mode: RedactionMode, fields: T, path = ''): Promise<CheckedFields<T>> {
  const unchanged = { fields, isMasked: false, redactions: [], assertAllowed: () => undefined };
  if (mode === 'off') return unchanged;
  const texts = await runInSteps(FieldTexts.collect(fields));
  const hasFindings = await runInSteps(texts.search());
  if (!hasFindings) return unchanged;
  const redactions = await runInSteps(texts.locate(path, MAX_LISTED));
  const isMasked = mode === 'redact';
  return {
    fields: isMasked ? ((await runInSteps(texts.replace())) as T) : fields,
    isMasked,
    redactions,
    assertAllowed: () => {
      if (mode === 'refuse') throw secretDetected(redactions);
    },
  };
}

/** The refusal of texts with credentials. It shows where they are, and nothing of them. */
export function secretDetected(redactions: readonly Redaction[]): ServiceError {
  const places = [...new Set(redactions.map(({ path, rule }) => `${path} (${rule})`))];
  const shown = places.slice(0, 5).join(', ');
  return new ServiceError(
    'secret_detected',
    `Remove the credentials in ${shown}${places.length > 5 ? ' and other fields' : ''}`,
    { extra: { redactions } },
  );
}
