/* Contents of files: as bytes, as base64 for requests, and as texts. */

/** @throws DOMException if the file was moved, or changed since it was chosen */
export const base64Of = (content: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.readAsDataURL(content);
  });

/** The SHA-256 in hexadecimal; null where the browser makes none: at addresses without https, except on loopback. */
export async function sha256Of(content: Blob): Promise<string | null> {
  if ((globalThis.crypto.subtle as SubtleCrypto | undefined) === undefined) return null;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await content.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** The text of a content; null if it is not a text in UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
