import { writeSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The errno of ENOSPC, as the engine counts them (WASI). */
const NO_SPACE = 51;

/** What of the engine's file system is used here: its own types do not tell. */
interface OpenFile {
  path?: string;
}
type Write = (file: OpenFile, ...rest: unknown[]) => number;
interface EngineModule {
  FS: { filesystems: { NODEFS: { stream_ops: { write: Write } } } };
}

/** Ends the thread of the engine, with a line that says why. The process ends when it does. */
function end(folder: string): never {
  writeSync(
    2,
    `MEMORY_DATA_DIR: the disk of ${folder} is full and the database cannot write its log. ` +
      'Nothing that was acknowledged is lost. Free some space and start the service again.\n',
  );
  process.exit(1);
}

/**
 * The files of the embedded database in a folder. Where its log cannot be written, the engine (PGlite 0.5.14) neither
 * ends nor fails: it computes for ever at the next commit, and the process answers nobody. So the process ends at the
 * failed write, before anything depends on it.
 */
export class EmbeddedFiles extends NodeFS {
  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const guard = (module: unknown) => {
      const operations = (module as EngineModule).FS.filesystems.NODEFS.stream_ops;
      const { write } = operations;
      operations.write = (file, ...rest) => {
        try {
          return write(file, ...rest);
        } catch (error) {
          const noSpace = (error as { errno?: unknown }).errno === NO_SPACE;
          if (noSpace && file.path?.includes('/pg_wal/')) end(this.rootDir);
          throw error;
        }
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), guard] } };
  }
}
