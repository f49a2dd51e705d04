const FETCH_ELSEWHERE =
  'or run npm run fetch-model -- --files-only on another machine and copy its folder of models';

/** What an operator can do about a failed download, by the codes of the errors. */
const BY_CODE: readonly (readonly [codes: RegExp, advice: string])[] = [
  [
    /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ENETUNREACH|ENETDOWN|EHOSTUNREACH|ETIMEDOUT|EPIPE|UND_ERR_CONNECT_TIMEOUT|UND_ERR_SOCKET)$/,
    `check the network of this machine; behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1; ${FETCH_ELSEWHERE}`,
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    'the certificate is not trusted; if a proxy reads the traffic, set NODE_EXTRA_CA_CERTS to the file with its certificate',
  ],
  [/^(ENOSPC|EDQUOT)$/, 'free some space, or set MEMORY_MODEL_DIR to a folder on another disk'],
  [
    /^(EFBIG|EROFS|EIO|EACCES|EPERM)$/,
    'correct this, or set MEMORY_MODEL_DIR to a folder that this user can write',
  ],
];

/** What to do if nothing more is known: a proxy or the network can be the reason. */
const STALLED = `try again, ${FETCH_ELSEWHERE}`;

/** What a proxy answered to the request for a tunnel, in the message of undici. */
const PROXY_ANSWER = /Proxy response \((\d+)\)/;

const SIGN_IN_TO_PROXY =
  'the proxy requires a sign-in: set HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT, with its own user and password';

/** Advice about the status of an answer of the hub. */
export function adviceOnStatus(status: number): string {
  if (status === 407) return SIGN_IN_TO_PROXY;
  if (status === 401 || status === 404) {
    return 'check the name in MEMORY_EMBEDDING_MODEL: the hub has no such public model with this file';
  }
  if (status === 403)
    return `the hub or a proxy refuses this; set MEMORY_MODEL_HUB to a mirror, ${FETCH_ELSEWHERE}`;
  return 'try again later';
}

/** Advice about content that is not the file. */
export const ADVICE_ON_DAMAGE =
  'try again; if it fails again, a proxy or mirror changes the file: set MEMORY_MODEL_HUB to another address';

/** Advice about a page in place of a file. */
export const ADVICE_ON_PAGE =
  'the network answered in place of the hub: sign in to the network in a browser, or ask its operator to allow the hub';

/** An error that has advice of its own. */
interface Advised {
  advice?: string;
}

/**
 * Returns what an operator can do about an error of a download, to follow a colon.
 * @param host of the hub, with its port
 */
export function adviceFor(error: unknown, host: string): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { advice } = at as Advised;
    if (advice !== undefined) return advice;
    const [, status] = PROXY_ANSWER.exec(at.message) ?? [];
    if (status === '407') return SIGN_IN_TO_PROXY;
    if (status !== undefined) {
      return `the proxy refuses ${host}: ask its operator to allow it, or set MEMORY_MODEL_HUB to a mirror that it allows`;
    }
    const { code } = at as NodeJS.ErrnoException;
    const found = BY_CODE.find(([codes]) => typeof code === 'string' && codes.test(code));
    if (found !== undefined) return found[1];
  }
  return STALLED;
}
