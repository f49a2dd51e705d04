import { createHash } from 'node:crypto';
import type { App } from '../../api/types.ts';
import type {
  Manifest,
  ManifestItem,
  PullRequest,
  PullResponse,
  PushedFile,
  PushResponse,
  WorkspaceConflict,
} from '../../shared/schemas/workspace.ts';
import { callerOf } from './client/client.ts';

/** What the service answered: of a refusal its code, and what stood in the way of a push. */
export interface Answered<T> {
  status: number;
  body: T;
  code: string | undefined;
  conflicts: WorkspaceConflict[];
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A file of a push with this content, new unless a base is given. */
export function file(path: string, content: string | Buffer, baseVersion = 0): PushedFile {
  return {
    path,
    baseVersion,
    contentBase64: Buffer.from(content as string).toString('base64'),
    sha256: sha256(content),
  };
}

/** The deletion of a file. */
export function deletion(path: string, baseVersion: number): PushedFile {
  return { path, baseVersion, deleted: true };
}

/** The workspace as someone asks for it: with their headers, of the Team that these name. */
export interface Workspace {
  push(files: readonly object[], headers?: Record<string, string>): Promise<Answered<PushResponse>>;
  pull(files: PullRequest['files']): Promise<Answered<PullResponse>>;
  /** One page. */
  manifest(query?: string): Promise<Answered<Manifest>>;
  /** Every page. */
  wholeManifest(query?: { since?: number; clientId?: string; limit?: number }): Promise<ManifestItem[]>;
  /** The content of a file as text, or null if it does not exist for the caller. */
  content(path: string, version?: number): Promise<string | null>;
}

/** Asks an app for workspace files. */
export function workspaceOf(app: App, headers: Record<string, string>): Workspace {
  const caller = callerOf(app, headers);
  const ask = async <T>(method: 'GET' | 'POST', url: string, payload?: object, more = {}) => {
    const answer = await caller.send(method, `/v1/workspace/${url}`, payload, more);
    const body = answer.json<T & { code?: string; conflicts?: WorkspaceConflict[] }>();
    const answered: Answered<T> = {
      status: answer.statusCode,
      body,
      code: body.code,
      conflicts: body.conflicts ?? [],
    };
    return answered;
  };
  const workspace: Workspace = {
    push: (files, more) => ask('POST', 'push', { files }, more),
    pull: (files) => ask('POST', 'pull', { files }),
    manifest: (query = '') => ask('GET', `manifest${query}`),
    wholeManifest: (query = {}) => caller.all.getManifest(query),
    content: async (path, version) => {
      const { body } = await workspace.pull([version === undefined ? { path } : { path, version }]);
      const [found] = body.files;
      return found === undefined ? null : Buffer.from(found.contentBase64, 'base64').toString('utf8');
    },
  };
  return workspace;
}
