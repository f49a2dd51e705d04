import { createHash } from 'node:crypto';
import { type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { type ServiceClient, ServiceRefusal } from '../../../cli/client/service-client.ts';
import { foldCase, parseWorkspacePath } from '../../../shared/formats/workspace-path.ts';
import type { ManifestItem, PullRequest, PushRequest } from '../../../shared/schemas/workspace.ts';

/** A file as the workspace in memory has it. */
interface Stored {
  version: number;
  revision: number;
  /** Null where it is deleted. */
  content: Buffer | null;
}

/** What a caller may do. */
interface Rights {
  scopes: string[];
  readOnly?: string[];
}

/** What happens to a request: it throws where the request, or after `done` its answer, is lost. */
export type OnTheWay = (asked: { method: string; path: string; body: unknown }) => Promise<void>;

/** The workspace of a Team in memory, as the contract has it: quick, and interrupted where a test wants it. */
interface MemoryWorkspace {
  files: Map<string, Stored>;
  /** The service as one caller sees it. Every request checks the rights again. */
  as: (rights: Rights, before?: OnTheWay, after?: OnTheWay) => ServiceClient;
  /** The live contents by path. */
  live: () => Record<string, string>;
}

/** A page and an answer so small that a few files take several. */
const PAGE = 3;
const ANSWER_FILES = 2;

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function scopeOf(path: string): string {
  const [root = '', client = ''] = path.split('/');
  return root === 'team' ? root : `${root}/${client}`;
}

function refuse(status: number, code: string): ServiceRefusal {
  return new ServiceRefusal(status, code, `the service refused: ${code}`);
}

/** Whether two live paths exclude each other. */
function exclude(one: string, other: string): boolean {
  const [a, b] = [foldCase(one), foldCase(other)];
  return one !== other && (a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`));
}

function listItem([path, { version, content }]: [string, Stored]): ManifestItem {
  return {
    path,
    version,
    deleted: content === null,
    sha256: content === null ? null : sha256(content),
    bytes: content?.length ?? 0,
    indexed: 'no',
    updatedAt: '2026-01-02T03:04:05.678Z',
    updatedBy: 'someone',
  };
}

export function openMemoryWorkspace(): MemoryWorkspace {
  const files = new Map<string, Stored>();
  let revision = 0;

  const manifest = ({ scopes }: Rights, query: URLSearchParams) => {
    const since = query.get('since');
    const reached = [...files].filter(([path]) => scopes.includes(scopeOf(path)));
    // As in the service: changes in other scopes do not affect the revision.
    const latest = Math.max(0, ...reached.map(([, file]) => file.revision));
    const [at, from] = (query.get('cursor') ?? `${latest} 0`).split(' ').map(Number);
    const found = reached
      .filter(([, file]) => (since === null ? file.content !== null : file.revision > Number(since)))
      .sort(([, a], [, b]) => b.revision - a.revision);
    const end = Number(from) + PAGE;
    return {
      revision: at,
      scopes,
      items: found.slice(from, end).map(listItem),
      nextCursor: end < found.length ? `${at} ${end}` : null,
    };
  };

  const pull = ({ scopes }: Rights, { files: asked }: PullRequest) => {
    const live = asked.filter(({ path }) => scopes.includes(scopeOf(path)) && files.get(path)?.content);
    const answer = live.slice(0, ANSWER_FILES).map(({ path }) => {
      const { version, content } = files.get(path) as Stored & { content: Buffer };
      return { path, version, sha256: sha256(content), contentBase64: content.toString('base64') };
    });
    return {
      files: answer,
      missing: asked.filter((one) => !live.includes(one)).map(({ path }) => path),
      remaining: live.slice(ANSWER_FILES).map(({ path }) => path),
    };
  };

  const push = ({ scopes, readOnly = [] }: Rights, { files: pushed }: PushRequest) => {
    if (new Set(pushed.map(({ path }) => path)).size < pushed.length) throw refuse(400, 'invalid_request');
    for (const { path, contentBase64, sha256: said } of pushed) {
      const read = parseWorkspacePath(path);
      if (typeof read === 'string' || read.path !== path) throw refuse(400, 'invalid_path');
      const content = contentBase64 === undefined ? null : Buffer.from(contentBase64, 'base64');
      if (content !== null && sha256(content) !== said) throw refuse(400, 'invalid_request');
      if (!scopes.includes(scopeOf(path)) || readOnly.includes(scopeOf(path)))
        throw refuse(403, 'scope_forbidden');
    }
    const gone = new Set(pushed.filter(({ deleted }) => deleted).map(({ path }) => path));
    const live = [...files].filter(([path, { content }]) => content !== null && !gone.has(path));
    const paths = [...live.map(([path]) => path), ...pushed.map(({ path }) => path)].filter(
      (path) => !gone.has(path),
    );
    for (const { path, baseVersion } of pushed) {
      const now = files.get(path);
      const current = now?.content == null ? 0 : now.version;
      if (baseVersion !== current || (!gone.has(path) && paths.some((other) => exclude(path, other))))
        throw refuse(409, 'workspace_conflict');
    }
    revision += 1;
    return {
      revision,
      files: pushed.map(({ path, contentBase64 }) => {
        const version = (files.get(path)?.version ?? 0) + 1;
        const content = contentBase64 === undefined ? null : Buffer.from(contentBase64, 'base64');
        files.set(path, { version, revision, content });
        return { path, version };
      }),
    };
  };

  const answer = (rights: Rights, method: string, path: string, body: unknown): unknown => {
    const [route = '', query = ''] = path.split('?');
    if (method === 'GET' && route === '/v1/workspace/manifest')
      return manifest(rights, new URLSearchParams(query));
    if (route === '/v1/workspace/pull') return pull(rights, body as PullRequest);
    if (route === '/v1/workspace/push') return push(rights, body as PushRequest);
    throw new Error(`no route ${method} ${path}`);
  };

  const nothing: OnTheWay = () => Promise.resolve();
  return {
    files,
    live: () =>
      Object.fromEntries(
        [...files].flatMap(([path, { content }]) => (content === null ? [] : [[path, String(content)]])),
      ),
    as: (rights, before = nothing, after = nothing) => {
      const ask = async <Answer extends TSchema>(
        method: string,
        path: string,
        schema: Answer,
        body?: unknown,
      ): Promise<Static<Answer>> => {
        const asked = { method, path: path.split('?', 1)[0] ?? '', body };
        await before(asked);
        const answered = answer(rights, method, path, body);
        await after(asked);
        if (!Value.Check(schema, answered)) throw new Error('the answer does not match its schema');
        return answered;
      };
      return {
        get: (path, schema) => ask('GET', path, schema),
        post: (path, schema, body) => ask('POST', path, schema, body),
        patch: async () => {
          throw new Error('no sync sends a PATCH');
        },
        download: async () => {
          throw new Error('nothing is downloaded');
        },
        delete: async () => {
          throw new Error('no sync sends a DELETE');
        },
      };
    },
  };
}
