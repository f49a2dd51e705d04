/** The encodings in which pages are sent. */
export type Encoding = 'br' | 'gzip';

/** The best encoding that a browser accepts, by its header Accept-Encoding; null if it accepts none. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | null {
  const accepted = new Set<string>();
  for (const part of String(header ?? '').split(',')) {
    const [coding = '', weight = ''] = part.split(';').map((word) => word.trim().toLowerCase());
    if (weight === '' || Number(weight.replace('q=', '')) > 0) accepted.add(coding);
  }
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : null;
}
