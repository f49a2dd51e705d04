import { type Static, Type } from 'typebox';
import { Body, Id, Nullable, type Problem, Time } from './common.ts';

/** Files that one pull or push may name. */
export const FILES_A_REQUEST = 200;
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

const Path = Type.String({ description: '`team/<path>` or `clients/<clientId>/<path>`' });
const Version = Type.Integer({ description: 'counted from 1, deletions too' });
const Revision = Type.Integer({
  description: 'ascends with every push to the Team; says nothing by its size',
});
const Sha256 = Type.String({ description: 'of the content, in hexadecimal' });

/** A file as it is, or with `since` the last that became of it. */
export const ManifestItem = Type.Object({
  path: Path,
  sha256: Nullable(Sha256, 'null where it is deleted'),
  bytes: Type.Integer(),
  version: Version,
  deleted: Type.Boolean(),
  updatedAt: Time,
  updatedBy: Id,
});
export type ManifestItem = Static<typeof ManifestItem>;

export const Manifest = Type.Object({
  revision: Revision,
  scopes: Type.Array(Type.String(), { description: '`team`, `clients/<id>`: what the caller reaches now' }),
  items: Type.Array(ManifestItem),
  nextCursor: Nullable(Type.String()),
});
export type Manifest = Static<typeof Manifest>;

export const PullRequest = Body({
  files: Type.Array(
    Body({ path: Path, version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })) }),
    { minItems: 1, maxItems: FILES_A_REQUEST },
  ),
});
export type PullRequest = Static<typeof PullRequest>;

export const PullResponse = Type.Object({
  files: Type.Array(
    Type.Object({ path: Path, version: Version, sha256: Sha256, contentBase64: Type.String() }),
  ),
  missing: Type.Array(Path, { description: 'not there, or not for the caller' }),
  remaining: Type.Array(Path, { description: 'did not fit into this answer: ask again for these' }),
});
export type PullResponse = Static<typeof PullResponse>;

/** One file of a push: a content, or its deletion. Which of the two it is, is looked at behind the schema. */
export const PushedFile = Body({
  path: Path,
  baseVersion: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'the version that the change was made from; 0 for a new or a deleted file',
  }),
  contentBase64: Type.Optional(Type.String({ description: `at most ${MAX_FILE_BYTES} bytes` })),
  sha256: Type.Optional(Sha256),
  deleted: Type.Optional(Type.Literal(true)),
});
export type PushedFile = Static<typeof PushedFile>;

export const PushRequest = Body({
  files: Type.Array(PushedFile, { minItems: 1, maxItems: FILES_A_REQUEST }),
});
export type PushRequest = Static<typeof PushRequest>;

export const PushResponse = Type.Object({
  revision: Revision,
  files: Type.Array(Type.Object({ path: Path, version: Version })),
});
export type PushResponse = Static<typeof PushResponse>;

/** One reason for a 409 `workspace_conflict`. */
export const WorkspaceConflict = Type.Object({
  path: Path,
  currentVersion: Type.Integer({ description: '0 where there never was one' }),
  currentSha256: Nullable(Sha256, 'null if the file does not exist now'),
  blockedBy: Type.Optional(
    Type.String({
      description: 'the path that differs only in case, or that is a folder of this path or lies below it',
    }),
  ),
});
export type WorkspaceConflict = Static<typeof WorkspaceConflict>;

/** What a push is refused with where the state does not allow it: a problem that names all conflicts, if it is for those. */
export const PushConflict = Type.Intersect([
  Type.Unsafe<Static<typeof Problem>>({ $ref: 'Problem#' }),
  Type.Object({
    conflicts: Type.Optional(
      Type.Array(WorkspaceConflict, { description: 'with `workspace_conflict`: all of them' }),
    ),
  }),
]);
