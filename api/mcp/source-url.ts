/**
 * The address that is cited for a source: its own if it is one of the web, else its page in the console. That names the
 * Team, so that it opens for a person with several Teams.
 */
export function sourceUrl(
  { linkBase, team }: { linkBase: string; team: { id: string } },
  { id, uri }: { id: string; uri: string | null },
): string {
  const own = uri !== null && URL.canParse(uri) ? new URL(uri).protocol : null;
  if (uri !== null && (own === 'http:' || own === 'https:')) return uri;
  return `${linkBase}/sources/${id}?team=${team.id}`;
}
