/** The settings that each Team makes for itself. */

/** Who can publish a consolidated memory. review: without Full access, it waits for a decision. */
export const PUBLISH_RULES = ['anyone', 'review'] as const;
export type PublishRule = (typeof PUBLISH_RULES)[number];

/** What is done about credentials in new text, weakest first. */
export const REDACTION_MODES = ['off', 'flag', 'redact', 'refuse'] as const;
export type RedactionMode = (typeof REDACTION_MODES)[number];

/** Whether no credential that was found is stored. */
export const masksCredentials = (mode: RedactionMode) => mode === 'redact' || mode === 'refuse';

/** The most that a Team can store. Null: no limit. */
export interface Quota {
  chunks: number | null;
  bytes: number | null;
}

/** The settings of the quota of Teams for which no Company Owner has set one. */
export interface DefaultQuota {
  teamMaxChunks: number | null;
  teamMaxBytes: number | null;
}

/** The quota that applies to a Team. */
export function quotaInForce(set: Quota | null, { teamMaxChunks, teamMaxBytes }: DefaultQuota): Quota {
  return set ?? { chunks: teamMaxChunks, bytes: teamMaxBytes };
}

export interface TeamSettings {
  publish: PublishRule;
  /** Null: the mode of the deployment. A weaker mode has no effect. */
  redaction: RedactionMode | null;
}
