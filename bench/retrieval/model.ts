import { readModelSettings } from '../../shared/config.ts';
import { modelProfile } from '../../shared/embedding-models.ts';
import { embeddedText } from '../../shared/text/prepared-chunks.ts';
import { ENGLISH_MODEL, writeEnglishModel } from '../../test/support/english-model.ts';
import { temporaryFolder } from '../../test/support/needs/process.ts';
import { titleOf } from '../../test/support/retrieval-set.ts';
import { loadEmbedder } from '../../worker/embedder/model.ts';
import type { SetVectors } from './stand-ins.ts';

/** A model that makes vectors by the code of the service. */
export interface BenchModel {
  readonly name: string;
  /** Of its vectors in the fusion. */
  readonly weight: number;
  /** Whether it knows the language of a set. */
  knows(language: string): boolean;
  /** Makes the vectors as the service does: those of passages with the title of their source. */
  vectorsOf(set: {
    paragraphs: readonly { article: string; text: string }[];
    questions: readonly { question: string }[];
  }): Promise<SetVectors>;
}

/**
 * Loads a model from a folder, or the English model that is among the development packages. MEMORY_EMBEDDING_POOLING and
 * the other settings of a model are used as the service uses them.
 * @param modelDir the folder of models; empty for the English one
 */
export async function openModel(name: string, modelDir: string): Promise<BenchModel> {
  const isOwn = modelDir !== '';
  const where = isOwn ? { name, modelDir } : { name: ENGLISH_MODEL, modelDir: await temporaryFolder() };
  if (!isOwn) await writeEnglishModel(where.modelDir);
  const { embeddingProfile } = readModelSettings(process.env);
  const profile = isOwn ? { profile: embeddingProfile } : {};
  const embedder = await loadEmbedder({ ...where, ...profile, allowDownload: false });
  return {
    name: where.name,
    weight: modelProfile(where.name, isOwn ? embeddingProfile : undefined).weight,
    knows: (language) => isOwn || language === 'en',
    async vectorsOf({ paragraphs, questions }) {
      const vectors: SetVectors = { paragraphs: [], questions: [] };
      for (const { article, text } of paragraphs)
        vectors.paragraphs.push(await embedder.embed(embeddedText(titleOf(article), [], text), 'passage'));
      for (const { question } of questions) vectors.questions.push(await embedder.embed(question, 'query'));
      return vectors;
    },
  };
}
