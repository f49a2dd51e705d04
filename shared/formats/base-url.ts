/**
 * Normalizes an address that paths are appended to: its origin and path, without a slash at the end. Returns null for
 * an address that is not absolute, or not http or https. Null too for a query or a fragment, to which no path can be
 * appended, and for a user name or password, which messages would reveal.
 */
export function canonicalBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || /[?#]/.test(text) || !URL.canParse(text)) return null;
  const { username, password, origin, pathname } = new URL(text);
  return username === '' && password === '' ? origin + pathname.replace(/(?<!\/)\/+$/, '') : null;
}
