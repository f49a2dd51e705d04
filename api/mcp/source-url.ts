import { countTextInJson } from './tokens.ts';

/** The most tokens of an address in an answer. Every address of ASCII characters has fewer. */
const MAX_URI = 2_000;

/** Whether an address is too long for an answer. It has other characters than an address of the web has. */
export function isTooLongToCite(uri: string | null): boolean {
  return uri !== null && countTextInJson(uri) > MAX_URI;
}

/**
 * The address that is cited for a source: its own if it is one of the web, else its page in the console. That names the
 * Team, so that it opens for a person with several Teams.
 */
export function sourceUrl(
  { linkBase, team }: { linkBase: string; team: { id: string } },
  { id, uri }: { id: string; uri: string | null },
): string {
  const own = uri !== null && URL.canParse(uri) ? new URL(uri).protocol : null;
  if (uri !== null && (own === 'http:' || own === 'https:') && !isTooLongToCite(uri)) return uri;
  return `${linkBase}/sources/${id}?team=${team.id}`;
}
