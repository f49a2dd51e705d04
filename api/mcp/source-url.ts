/** The address that is cited for a source: its own if it is one of the web, else its page in the console. */
export function sourceUrl(linkBase: string, { id, uri }: { id: string; uri: string | null }): string {
  const own = uri !== null && URL.canParse(uri) ? new URL(uri).protocol : null;
  return uri !== null && (own === 'http:' || own === 'https:') ? uri : `${linkBase}/sources/${id}`;
}
