import { createHash } from 'node:crypto';
import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import type { Blob } from '../../db/queries/workspace/contents.ts';
import {
  allocateRevision,
  type Blocked,
  type CurrentVersion,
  findBlocked,
  findCurrentVersions,
  insertVersions,
  type NewVersion,
} from '../../db/queries/workspace/files.ts';
import { type FieldError, invalidField, ServiceError } from '../../shared/errors.ts';
import { base64Length, decodeBase64 } from '../../shared/formats/base64.ts';
import {
  foldPath,
  layerPrefix,
  parseNewPath,
  parseWorkspacePath,
  type WorkspacePath,
} from '../../shared/formats/workspace-path.ts';
import { newId } from '../../shared/ids.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import {
  MAX_FILE_BYTES,
  type PushedFile,
  type PushResponse,
  type WorkspaceConflict,
} from '../../shared/schemas/workspace.ts';
import { layerOf, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { shownText } from '../../shared/secrets/find-secrets.ts';
import { masksCredentials, type RedactionMode } from '../../shared/settings/team-settings.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import type { Applied, OnceCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields, redactionMode, secretDetected } from '../redaction/redact.ts';
import { enqueueAfterUnindexing, enqueueFiles, newIndexState, unindexFiles } from './indexing.ts';

type GivenFile = { path: string; contentBase64?: string };

/** Returns a path as an error message shows it, without credentials. */
export function shownPath(path: string): string {
  return JSON.stringify(shownText(path).toWellFormed());
}

/**
 * Parses the paths of files that a request pulls, deletes or writes.
 * @throws ServiceError `invalid_path`, which lists every invalid path
 */
export function parsePaths(files: readonly GivenFile[]): WorkspacePath[] {
  const errors: FieldError[] = [];
  const paths: WorkspacePath[] = [];
  for (const [index, { path, contentBase64 }] of files.entries()) {
    const read = contentBase64 === undefined ? parseWorkspacePath(path) : parseNewPath(path);
    if (typeof read !== 'string') paths.push(read);
    else {
      errors.push({ path: `/files/${index}/path`, message: `${shownPath(path)} ${read}` });
    }
  }
  if (errors.length === 0) return paths;
  const detail = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new ServiceError('invalid_path', detail, { errors });
}

/** A file of a push. `blob` is its content, or null if the file is to be deleted. */
interface Pushed extends WorkspacePath {
  baseVersion: number;
  blob: Blob | null;
}

/** Whether a content in base64 is larger than a file can be. Does not decode it. */
async function isTooLarge(base64: string): Promise<boolean> {
  return base64.length > MAX_FILE_BYTES && (await base64Length(base64)) > MAX_FILE_BYTES;
}

async function parseContent(
  { contentBase64, sha256, deleted }: PushedFile,
  index: number,
): Promise<Blob | null> {
  const field = `/files/${index}`;
  if (deleted === true) {
    if (contentBase64 !== undefined)
      throw invalidField(`${field}/contentBase64`, 'cannot be combined with deleted');
    if (sha256 !== undefined) throw invalidField(`${field}/sha256`, 'cannot be combined with deleted');
    return null;
  }
  if (contentBase64 === undefined) throw invalidField(`${field}/contentBase64`, 'is required');
  if (sha256 === undefined) throw invalidField(`${field}/sha256`, 'is required');
  const content = await decodeBase64(contentBase64);
  if (content === null) throw invalidField(`${field}/contentBase64`, 'is not base64');
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== sha256.toLowerCase()) {
    throw invalidField(`${field}/sha256`, 'is not the SHA-256 of the content in hexadecimal');
  }
  return { sha256: actual, content };
}

/**
 * Parses the files of a push. Yields to other requests after each file: to hash one blocks for at most 30 ms.
 * @throws ServiceError `invalid_path`, `invalid_request`, `payload_too_large`
 */
export async function parsePushedFiles(files: readonly PushedFile[]): Promise<Pushed[]> {
  for (const { path, contentBase64 } of files) {
    if (contentBase64 === undefined || !(await isTooLarge(contentBase64))) continue;
    throw new ServiceError(
      'payload_too_large',
      `${shownPath(path)}: a file can have at most ${MAX_FILE_BYTES} bytes`,
    );
  }
  const paths = parsePaths(files);
  const places = new Map<string, number>();
  for (const [index, { path }] of paths.entries()) {
    const earlier = places.get(path);
    if (earlier !== undefined)
      throw invalidField(`/files/${index}/path`, `is the path of /files/${earlier} too`);
    places.set(path, index);
  }
  const pushed: Pushed[] = [];
  const yieldIfDue = yieldBetweenSteps();
  for (const [index, file] of files.entries()) {
    const place = paths[index] as WorkspacePath;
    pushed.push({ ...place, baseVersion: file.baseVersion, blob: await parseContent(file, index) });
    await yieldIfDue();
  }
  return pushed;
}

/** The most that an answer lists. */
const MAX_LISTED = 1000;

/** What was found in the files of a push. */
interface CheckedPush {
  /** At most 1,000. */
  redactions: Redaction[];
  /** Paths that contain a credential, as audit events show them. */
  maskedPaths: ReadonlyMap<string, string>;
  /** Whether the push must be refused. */
  isRefused: boolean;
  /** @throws ServiceError `secret_detected` if it must be refused */
  assertAllowed: () => void;
}

const UTF16_MARKS: readonly [first: number, second: number, encoding: string][] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
];

/** The text of a file, or null if it is binary. Files of other encodings than UTF-8 are read as far as they are ASCII. */
function textOf(content: Uint8Array): string | null {
  const mark = UTF16_MARKS.find(([first, second]) => content[0] === first && content[1] === second);
  if (mark === undefined && content.includes(0)) return null;
  return new TextDecoder(mark?.[2] ?? 'utf-8').decode(content);
}

/**
 * Checks the paths and the texts of pushed files for credentials. Offsets are those of the decoded text. A masked text would not
 * have the SHA-256 of the push, so the mode `redact` refuses the push too. A deletion is never refused. Other formats than
 * text are checked when they are indexed.
 */
async function checkPushedFiles(mode: RedactionMode, pushed: readonly Pushed[]): Promise<CheckedPush> {
  const redactions: Redaction[] = [];
  const maskedPaths = new Map<string, string>();
  if (mode !== 'off') {
    for (const [index, { path, blob }] of pushed.entries()) {
      const text = blob === null ? null : textOf(blob.content);
      const checked = await redactFields('redact', { path, contentBase64: text }, `/files/${index}`);
      if (checked.fields.path !== path) maskedPaths.set(path, checked.fields.path);
      if (blob !== null) redactions.push(...checked.redactions.slice(0, MAX_LISTED - redactions.length));
    }
  }
  const isRefused = redactions.length > 0 && masksCredentials(mode);
  return {
    redactions,
    maskedPaths,
    isRefused,
    assertAllowed: () => {
      if (isRefused) throw secretDetected(redactions);
    },
  };
}

/** Whether the base version of a pushed file is current. For a file that is deleted or never existed, that is 0 too. */
function isCurrent({ baseVersion }: Pushed, current: CurrentVersion | undefined): boolean {
  if (current === undefined) return baseVersion === 0;
  return baseVersion === current.version || (current.sha256 === null && baseVersion === 0);
}

/** Finds files of one push that cannot coexist: their paths differ only in case, or one is the folder of another. */
function blockedByEachOther(live: readonly Pushed[]): Blocked[] {
  const nameOf = ({ clientId, name }: Pushed) => `${layerPrefix(clientId)}\u0001${foldPath(name)}`;
  const paths = new Map<string, string>();
  const blocked: Blocked[] = [];
  for (const file of live) {
    const name = nameOf(file);
    const twin = paths.get(name);
    if (twin === undefined) paths.set(name, file.path);
    else blocked.push({ path: file.path, blockedBy: twin });
  }
  for (const file of live) {
    const segments = nameOf(file).split('\u0001');
    // The first segment is the layer.
    for (let depth = 2; depth < segments.length; depth += 1) {
      const folder = paths.get(segments.slice(0, depth).join('\u0001'));
      if (folder !== undefined) blocked.push({ path: file.path, blockedBy: folder });
    }
  }
  return blocked;
}

/** Returns all conflicts of a push, in the order of its files; empty if it can be written. */
async function findConflicts(
  tx: TeamTransaction,
  pushed: readonly Pushed[],
  current: ReadonlyMap<string, CurrentVersion>,
): Promise<WorkspaceConflict[]> {
  const live = pushed.filter(({ blob }) => blob !== null);
  const blocked = new Map<string, string>();
  for (const { path, blockedBy } of [...blockedByEachOther(live), ...(await findBlocked(tx, live, pushed))]) {
    if (!blocked.has(path)) blocked.set(path, blockedBy);
  }
  return pushed.flatMap((file) => {
    const now = current.get(file.path);
    const blockedBy = blocked.get(file.path);
    if (isCurrent(file, now) && blockedBy === undefined) return [];
    return {
      path: file.path,
      currentVersion: now?.version ?? 0,
      currentSha256: now?.sha256 ?? null,
      ...(blockedBy === undefined ? {} : { blockedBy }),
    };
  });
}

function clientsOf(pushed: readonly Pushed[]): (string | null)[] {
  return [...new Set(pushed.map(({ clientId }) => clientId))];
}

/**
 * Refuses a push to a layer that the caller cannot write to.
 * @throws ServiceError `scope_forbidden`
 */
export function assertPushAllowed(scope: TeamScope, pushed: readonly Pushed[]): void {
  for (const clientId of clientsOf(pushed)) writeLayer(scope, clientId === null ? {} : { clientId });
}

/**
 * Writes and deletes files, all or none. The contents are stored before the transaction; if it fails, upkeep deletes
 * those that no version refers to.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`, `workspace_conflict`,
 *   `secret_detected`, `quota_exceeded`
 */
export function pushFiles(
  deps: Pick<Dependencies, 'blobs' | 'config' | 'queue'>,
  scope: TeamScope,
  pushed: readonly Pushed[],
): OnceCommand<number, PushResponse, CheckedPush> {
  return {
    prepare: async () => {
      const checked = await checkPushedFiles(redactionMode(deps.config, scope), pushed);
      const blobs = pushed.flatMap(({ blob }) => blob ?? []);
      if (!checked.isRefused) await deps.blobs.store(scope, blobs);
      return checked;
    },
    lock: async (tx) => {
      await requireLayerWrite(tx, ...clientsOf(pushed).map((clientId) => layerOf(scope, clientId)));
      // Locks the workspace of the Team too: current versions stay current until the transaction ends.
      return allocateRevision(tx);
    },
    quota: deps.config,
    apply: (tx, revision, checked) => apply(tx, deps, revision, pushed, checked),
    answer: (body) => ({ status: 200, body }),
  };
}

async function apply(
  tx: TeamTransaction,
  { config, queue }: Pick<Dependencies, 'config' | 'queue'>,
  revision: number,
  pushed: readonly Pushed[],
  { redactions, maskedPaths, assertAllowed }: CheckedPush,
): Promise<Applied<PushResponse>> {
  const current = await findCurrentVersions(tx, pushed);
  const conflicts = await findConflicts(tx, pushed, current);
  if (conflicts.length > 0) {
    throw new ServiceError('workspace_conflict', `${conflicts.length} of ${pushed.length} files conflict`, {
      extra: { conflicts },
    });
  }
  assertAllowed();
  const versions = pushed.map(({ blob, ...place }): NewVersion => {
    const before = current.get(place.path);
    const version = {
      ...place,
      id: newId(),
      before: before?.id ?? null,
      fileId: before?.fileId ?? newId(),
      version: (before?.version ?? 0) + 1,
      sha256: blob?.sha256 ?? null,
      bytes: blob?.content.length ?? 0,
    };
    return { ...version, indexed: newIndexState(config, version) };
  });
  await insertVersions(tx, revision, versions);
  // The source of a file that is still to be indexed keeps its text until then.
  const unindexed = versions.filter(({ before, indexed }) => before !== null && indexed !== 'pending');
  const removed = await unindexFiles(
    tx,
    unindexed.map(({ fileId }) => fileId),
  );
  return {
    result: { revision, files: versions.map(({ path, version }) => ({ path, version })), redactions },
    audit: [...versions.map((version) => versionEvent(version, maskedPaths)), ...removed],
    enqueue: async () => {
      await enqueueFiles(tx, queue, versions);
      if (removed.length > 0) await enqueueAfterUnindexing(tx, queue, config);
    },
  };
}

/** The subject is the file, so that the history of a file can be read by its id. */
function versionEvent(
  { sha256, fileId, clientId, path, version, bytes }: NewVersion,
  maskedPaths: CheckedPush['maskedPaths'],
): AuditEntry {
  return {
    kind: sha256 === null ? 'workspace.delete' : 'workspace.write',
    subjectType: 'file',
    subjectId: fileId,
    clientId,
    detail: { path: maskedPaths.get(path) ?? path, version, ...(sha256 === null ? {} : { bytes }) },
  };
}
