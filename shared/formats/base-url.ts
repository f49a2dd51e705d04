/**
 * An address that paths are put behind, in its one form: origin and path, without a slash at the end. Null for
 * an address that is not absolute, is not http or https, or has a query, a fragment or a user name, which would be
 * in the way of paths or show a secret in messages.
 */
export function canonicalBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || /[?#]/.test(text) || !URL.canParse(text)) return null;
  const { username, password, origin, pathname } = new URL(text);
  return username === '' && password === '' ? origin + pathname.replace(/(?<!\/)\/+$/, '') : null;
}
