/** As many as Hugging Face's own tools need, with room for a mirror: a renamed model, its cache, its CDN. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** What a further try would not change. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The last answer of a chain of redirects, and what the hub said of the file on the way. */
export interface HubAnswer {
  response: Response;
  /** SHA-256 (64 hexadecimal digits), git blob SHA-1 (40), or null where the hub told neither. */
  contentHash: string | null;
  /** Length of the whole file in bytes, where the hub told it beside the answer's own length. */
  linkedSize: number | null;
}

export interface HubRequest {
  method?: 'GET' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * Asks the hub for a file. Redirects are followed by hand: Hugging Face tells a large file's hash and length in
 * `x-linked-etag` and `x-linked-size` of the answer that redirects to its CDN, and nowhere after it. A HEAD ends
 * there, as the CDN's addresses are signed for GET alone.
 * @throws Refused for a redirect that is not followed, or what fetch throws
 */
export async function askHub(address: URL, request: HubRequest): Promise<HubAnswer> {
  const { method = 'GET', signal } = request;
  // A packed answer has another length than the file, and cannot be taken up in the middle.
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  let [linkedEtag, linkedSize]: [string | null, number | null] = [null, null];
  let at = address;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(at, { method, headers, redirect: 'manual', signal });
    linkedEtag ??= digest(response.headers.get('x-linked-etag'), [40, 64]);
    linkedSize ??= wholeNumber(response.headers.get('x-linked-size'));
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
    if (location === null || (method === 'HEAD' && linkedSize !== null)) {
      // A CDN's etag may have 64 digits too and is not the file's SHA-256; the hub's own of 40 is a git blob's.
      const own = at.origin === address.origin ? digest(response.headers.get('etag'), [40]) : null;
      return { response, contentHash: linkedEtag ?? own, linkedSize };
    }
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) throw new Refused(`more than ${MAX_REDIRECTS} redirects`);
    at = nextAddress(at, location);
  }
}

/**
 * Length in bytes of a file at the hub, or null where it does not tell.
 * @throws what fetch throws
 */
export async function askSize(address: URL, signal: AbortSignal): Promise<number | null> {
  const { response, linkedSize } = await askHub(address, { method: 'HEAD', signal });
  return response.ok || linkedSize !== null ? (linkedSize ?? bodyLength(response)) : null;
}

/** Length of an answer's body in bytes, or null where it is not told. */
export function bodyLength(response: Response): number | null {
  return isPacked(response) ? null : wholeNumber(response.headers.get('content-length'));
}

/** Whether a body comes compressed although none was asked for; fetch unpacks it. */
export function isPacked(response: Response): boolean {
  return !['', 'identity'].includes(response.headers.get('content-encoding') ?? '');
}

function nextAddress(at: URL, location: string): URL {
  // Addresses of a CDN are signed: what stands behind the path is a credential and not for messages.
  const from = at.origin + at.pathname;
  if (!URL.canParse(location, at.href)) throw new Refused(`${from} redirects to no address`);
  const next = new URL(location, at);
  const downgrades = at.protocol === 'https:' && next.protocol === 'http:';
  if (!/^https?:$/.test(next.protocol) || downgrades || next.username !== '' || next.password !== '') {
    throw new Refused(`${from} redirects to ${next.protocol}//${next.host}, which is not followed`);
  }
  return next;
}

/** The hexadecimal digest that an etag is, quoted or not, weak or not; null for one of another form. */
function digest(etag: string | null, lengths: readonly number[]): string | null {
  const [, bare = ''] = /^(?:W\/)?"?([0-9a-f]+)"?$/i.exec(etag?.trim() ?? '') ?? [];
  return lengths.includes(bare.length) ? bare.toLowerCase() : null;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
