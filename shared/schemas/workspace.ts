import { type Static, Type } from 'typebox';
import { Body, Id, Nullable, OneOf, Page, PageQuery, Problem, Redactions, Time } from './common.ts';

/** The most files in one pull or push. */
export const MAX_FILES_PER_REQUEST = 200;
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

const Path = Type.String({ description: '`team/<path>` or `clients/<clientId>/<path>`' });
const Version = Type.Integer({ description: 'counts from 1; a deletion is a version too' });
const Revision = Type.Integer({
  description: 'increases with every push to the Team; the size of a step has no meaning',
});
const Sha256 = Type.String({ description: 'SHA-256 of the content, hexadecimal' });

/** Whether searches find the text of a file. */
export const IndexState = OneOf(
  ['yes', 'pending', 'no', 'failed'],
  'whether searches find its text. no: its format cannot be read, it is empty or deleted, or the service does not ' +
    'index files. failed: it cannot be read',
);
export type IndexState = Static<typeof IndexState>;

/** The current state of a file; with `since`, the last change of it, which can be a deletion. */
export const ManifestItem = Type.Object({
  path: Path,
  sha256: Nullable(Sha256, 'null if the file is deleted'),
  bytes: Type.Integer(),
  version: Version,
  deleted: Type.Boolean(),
  indexed: IndexState,
  updatedAt: Time,
  updatedBy: Id,
});
export type ManifestItem = Static<typeof ManifestItem>;

/** A stored version of a file. */
export const FileVersion = Type.Object({
  path: Path,
  sha256: Nullable(Sha256, 'null if this version is a deletion'),
  bytes: Type.Integer(),
  version: Version,
  deleted: Type.Boolean(),
  updatedAt: Time,
  updatedBy: Id,
});
export type FileVersion = Static<typeof FileVersion>;

export const FileVersionsQuery = Type.Object({ path: Path, ...PageQuery }, { additionalProperties: false });

export const Manifest = Type.Object({
  revision: Revision,
  scopes: Type.Array(Type.String(), {
    description: '`team` and `clients/<id>`: the layers that the caller can read now',
  }),
  ...Page(ManifestItem).properties,
});
export type Manifest = Static<typeof Manifest>;

export const PullRequest = Body({
  files: Type.Array(
    Body({ path: Path, version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })) }),
    { minItems: 1, maxItems: MAX_FILES_PER_REQUEST },
  ),
});
export type PullRequest = Static<typeof PullRequest>;

export const PullResponse = Type.Object({
  files: Type.Array(
    Type.Object({ path: Path, version: Version, sha256: Sha256, contentBase64: Type.String() }),
  ),
  missing: Type.Array(Path, { description: 'files that do not exist, or that the caller cannot read' }),
  remaining: Type.Array(Path, { description: 'files that are not in this answer; request them again' }),
});
export type PullResponse = Static<typeof PullResponse>;

/** One file of a push: its content, or its deletion. The operation checks that it is exactly one of the two. */
export const PushedFile = Body({
  path: Path,
  baseVersion: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'the version that the change is based on; 0 if the file does not exist or was deleted',
  }),
  contentBase64: Type.Optional(Type.String({ description: `at most ${MAX_FILE_BYTES} bytes` })),
  sha256: Type.Optional(Sha256),
  deleted: Type.Optional(Type.Literal(true)),
});
export type PushedFile = Static<typeof PushedFile>;

export const PushRequest = Body({
  files: Type.Array(PushedFile, { minItems: 1, maxItems: MAX_FILES_PER_REQUEST }),
});
export type PushRequest = Static<typeof PushRequest>;

export const PushResponse = Type.Object({
  revision: Revision,
  files: Type.Array(Type.Object({ path: Path, version: Version })),
  redactions: Type.Optional(Redactions),
});
export type PushResponse = Static<typeof PushResponse>;

/** One reason for a 409 `workspace_conflict`. */
export const WorkspaceConflict = Type.Object({
  path: Path,
  currentVersion: Type.Integer({ description: '0 if the file has never existed' }),
  currentSha256: Nullable(Sha256, 'null if the file does not exist now'),
  blockedBy: Type.Optional(
    Type.String({
      description:
        'an existing path that differs only in case, is a folder of this path, or is inside this path',
    }),
  ),
});
export type WorkspaceConflict = Static<typeof WorkspaceConflict>;

/** The 409 of a push. With `workspace_conflict` the problem lists all conflicts. */
export const PushConflict = Type.Intersect([
  Problem,
  Type.Object({
    conflicts: Type.Optional(
      Type.Array(WorkspaceConflict, {
        description: 'present with `workspace_conflict`: every conflict of the push',
      }),
    ),
  }),
]);
