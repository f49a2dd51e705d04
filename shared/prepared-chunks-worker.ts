import {
  type ChunkInput,
  type PreparedChunk,
  prepareChunksNow,
  TooManyChunksError,
} from './prepared-chunks.ts';

/** The thread's side of `prepareChunks`. Null for too many chunks: errors lose their class between threads. */
export default function prepare(task: { teamId: string; input: ChunkInput }): PreparedChunk[] | null {
  try {
    return prepareChunksNow(task.teamId, task.input);
  } catch (error) {
    if (error instanceof TooManyChunksError) return null;
    throw error;
  }
}
