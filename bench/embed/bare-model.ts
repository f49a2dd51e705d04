import path from 'node:path';
import runtime from 'onnxruntime-node';
import { WEIGHTS } from '../../worker/embedder/model-files.ts';

/** The runtime's threads look out for more work for a while, and take the processor from others. */
export const REST_MS = 30;

/** A model that takes token ids and a mask, without the service around it. */
export interface BareModel {
  /**
   * Runs texts of token ids together, each filled up to the longest.
   * @returns the first position of each text, not normalised
   */
  run(texts: readonly BigInt64Array[]): Promise<Float32Array[]>;
}

/**
 * Opens a model of a folder of models.
 * @param threads how many threads run it
 */
export async function openBareModel(modelDir: string, name: string, threads: number): Promise<BareModel> {
  const session = await runtime.InferenceSession.create(path.join(modelDir, name, WEIGHTS), {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
  });
  return {
    run: async (texts) => {
      const longest = Math.max(...texts.map(({ length }) => length));
      const shape = [texts.length, longest];
      const fill = (idOf: (text: BigInt64Array, at: number) => bigint) =>
        BigInt64Array.from({ length: texts.length * longest }, (_, place) =>
          idOf(texts[Math.floor(place / longest)]!, place % longest),
        );
      const output = await session.run({
        input_ids: new runtime.Tensor(
          'int64',
          fill((text, at) => text[at] ?? 1n),
          shape,
        ),
        attention_mask: new runtime.Tensor(
          'int64',
          fill((text, at) => (at < text.length ? 1n : 0n)),
          shape,
        ),
      });
      const states = output.last_hidden_state!;
      const width = states.dims.at(-1)!;
      return texts.map((_, at) =>
        (states.data as Float32Array).slice(at * longest * width, at * longest * width + width),
      );
    },
  };
}
