import type { ErrorCode, ServiceError } from '../../shared/errors.ts';
import { cutToJson } from './tokens.ts';

/** The most tokens of the message: it can list 20 Teams with long names. */
const MAX_MESSAGE = 5_000;

/** What an agent can do about an error, if its message does not say it. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  scope_forbidden: 'whoami lists the clients that you can reach, and where you can store',
  permission_required: 'Ask the owner of the agent token for a token that has it',
  full_access_required: 'Ask a Team Owner or Team Admin to do it',
  not_found: 'Check the id: it must be one that another tool returned',
  version_conflict: 'Read the memory again with GET /v1/memory/memories, and decide on its current version',
  batch_expired: 'Claim the captures again with claim_captures',
  team_archived: 'Ask an Owner of the Company to restore the Team',
  quota_exceeded: 'Do not send it again until then',
  secret_detected: 'Send the text again without them',
  rate_limited: 'Nothing was done',
  unavailable: 'Wait a few seconds and call the tool again',
};

/** The text of an error for an agent: the code, what is wrong, and what to do. */
export function errorText({ code, message, status }: ServiceError, requestId: string): string {
  const advice = ADVICE[code];
  const wrong = cutToJson(message, MAX_MESSAGE);
  const parts = [wrong.endsWith('.') ? wrong.slice(0, -1) : wrong, ...(advice === undefined ? [] : [advice])];
  // The operator finds the reason in the log by the id.
  if (status >= 500) parts.push(`Request ${requestId}`);
  return `${code}: ${parts.join('. ')}.`;
}
