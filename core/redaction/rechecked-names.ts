import type { Redaction } from '../../shared/schemas/common.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { redactFields } from './redact-fields.ts';

/**
 * Checks the names of a file for credentials again when its job runs: since it was accepted, the mode of the Team can have
 * become stricter.
 * @param earlier what was found before
 * @returns the names that its source gets, all that was found, and whether the file must be refused
 */
export async function recheckNames<T extends object>(
  mode: RedactionMode,
  names: T,
  earlier: readonly Redaction[] = [],
): Promise<{ names: T; redactions: Redaction[]; isRefused: boolean }> {
  const { fields, redactions } = await redactFields(mode, names);
  // A name that was masked then has no credential now, and one that was not is reported again.
  const others = earlier.filter(({ path }) => !redactions.some((found) => found.path === path));
  return {
    names: fields,
    redactions: [...others, ...redactions],
    isRefused: mode === 'refuse' && redactions.length > 0,
  };
}
