import type { Config } from '../../shared/config.ts';
import {
  REDACTION_MODES,
  type RedactionMode,
  type TeamSettings,
} from '../../shared/settings/team-settings.ts';

/** What is done about credentials: the mode of the deployment or of the Team, whichever is stricter. */
export function redactionMode(
  { redaction }: Pick<Config, 'redaction'>,
  team: Pick<TeamSettings, 'redaction'>,
): RedactionMode {
  const strictness = (mode: RedactionMode | null) => (mode === null ? -1 : REDACTION_MODES.indexOf(mode));
  return team.redaction !== null && strictness(team.redaction) > strictness(redaction)
    ? team.redaction
    : redaction;
}
