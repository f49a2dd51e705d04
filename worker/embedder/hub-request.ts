/** Enough for Hugging Face's own redirects and for a mirror: a renamed model, a cache, a CDN. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** An error that another attempt would not change. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The last answer of a chain of redirects, and the hash and length from the answers before it. */
export interface HubAnswer {
  response: Response;
  /** SHA-256 (64 hexadecimal digits), git blob SHA-1 (40), or null if the hub sent neither. */
  contentHash: string | null;
  /** The length of the whole file in bytes, if the hub sent it in a header of its own. */
  linkedSize: number | null;
}

export interface HubRequest {
  method?: 'GET' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * Requests a file from the hub. Redirects are followed by this code and not by fetch: Hugging Face sends a large file's
 * hash and length only in `x-linked-etag` and `x-linked-size` of the answer that redirects to its CDN. A HEAD request
 * stops at that answer, because the CDN's addresses are signed only for GET.
 * @throws Refused for a redirect that is not followed, and any error of fetch
 */
export async function askHub(address: URL, request: HubRequest): Promise<HubAnswer> {
  const { method = 'GET', signal } = request;
  // A compressed answer has a different length from the file, and cannot be resumed in the middle.
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  let [linkedEtag, linkedSize]: [string | null, number | null] = [null, null];
  let at = address;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(at, { method, headers, redirect: 'manual', signal });
    linkedEtag ??= digest(response.headers.get('x-linked-etag'), [40, 64]);
    linkedSize ??= wholeNumber(response.headers.get('x-linked-size'));
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
    if (location === null || (method === 'HEAD' && linkedSize !== null)) {
      // The ETag of a CDN can have 64 digits too, but is not the file's SHA-256. The hub's own ETag of 40 digits is the
      // hash of a git blob.
      const own = at.origin === address.origin ? digest(response.headers.get('etag'), [40]) : null;
      return { response, contentHash: linkedEtag ?? own, linkedSize };
    }
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) throw new Refused(`more than ${MAX_REDIRECTS} redirects`);
    at = nextAddress(at, location);
  }
}

/**
 * The length of a file on the hub, in bytes, or null if the hub does not send it.
 * @throws any error of fetch
 */
export async function askSize(address: URL, signal: AbortSignal): Promise<number | null> {
  const { response, linkedSize } = await askHub(address, { method: 'HEAD', signal });
  return response.ok || linkedSize !== null ? (linkedSize ?? bodyLength(response)) : null;
}

/** The length of an answer's body in bytes, or null if the answer does not state it. */
export function bodyLength(response: Response): number | null {
  return isPacked(response) ? null : wholeNumber(response.headers.get('content-length'));
}

/** Whether a body is compressed although this was not requested. Fetch decompresses it. */
export function isPacked(response: Response): boolean {
  return !['', 'identity'].includes(response.headers.get('content-encoding') ?? '');
}

function nextAddress(at: URL, location: string): URL {
  // Addresses of a CDN are signed: the query is a credential and must not appear in messages.
  const from = at.origin + at.pathname;
  if (!URL.canParse(location, at.href)) throw new Refused(`${from} redirects to an invalid address`);
  const next = new URL(location, at);
  const downgrades = at.protocol === 'https:' && next.protocol === 'http:';
  if (!/^https?:$/.test(next.protocol) || downgrades || next.username !== '' || next.password !== '') {
    throw new Refused(`${from} redirects to ${next.protocol}//${next.host}, which is not followed`);
  }
  return next;
}

/** The hexadecimal digest in an ETag, quoted or not, weak or not; null if the ETag is not a digest. */
function digest(etag: string | null, lengths: readonly number[]): string | null {
  const [, bare = ''] = /^(?:W\/)?"?([0-9a-f]+)"?$/i.exec(etag?.trim() ?? '') ?? [];
  return lengths.includes(bare.length) ? bare.toLowerCase() : null;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
