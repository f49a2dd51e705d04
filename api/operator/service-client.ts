import { OperatorError } from './command.ts';

const TIMEOUT_MS = 30_000;

/** The running service, asked as whom the credential stands for. Answers are JSON. */
export interface ServiceClient {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
}

/**
 * A client of the service at `url`. Every failure is an OperatorError of one line.
 * @param token sent as the Bearer credential, to this address alone
 */
export function connect(url: string, token: string): ServiceClient {
  const base = url.replace(/\/+$/, '');
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(base, path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Followed, a redirect would turn a POST into a GET, and may lead elsewhere with the credential.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return readAnswer<T>(response, base);
  };
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
  };
}

async function reach(base: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, init);
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    const reason = name === 'TimeoutError' ? `no answer in ${TIMEOUT_MS / 1000} s` : cause?.code;
    const suffix = typeof reason === 'string' ? ` (${reason})` : '';
    throw new OperatorError(`the service at ${base} cannot be reached${suffix}: is it running?`);
  }
}

async function readAnswer<T>(response: Response, base: string): Promise<T> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const target = response.headers.get('location') ?? 'another address';
    throw new OperatorError(`${base} redirects to ${target}: name that address with --url`);
  }
  const text = await response.text().catch(() => '');
  const answer = parseObject(text);
  if (response.ok && answer !== null) return answer as T;
  const { code, detail } = (answer ?? {}) as { code?: unknown; detail?: unknown };
  if (typeof code !== 'string') {
    throw new OperatorError(`${base} answered ${status}, but not as this service does: check --url`);
  }
  throw new OperatorError(`the service refused: ${code}: ${oneLine(String(detail))}`);
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
