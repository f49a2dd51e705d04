import type { Setting } from './setting.ts';
import { decimal, FOLDER_URL, integer, text, word } from './value-types.ts';

/** The settings of the embedding model. Commands that need no other settings read only these. */
export const MODEL_SETTINGS = {
  embeddingModel: {
    variable: 'MEMORY_EMBEDDING_MODEL',
    type: text(),
    default: 'Xenova/bge-m3',
    description: 'The model whose vectors are compared. They have 1,024 numbers.',
  },
  embeddingPooling: {
    variable: 'MEMORY_EMBEDDING_POOLING',
    type: word('cls', 'mean'),
    default: null,
    defaultInWords: 'as is known of the model, else cls',
    description: 'How the output of the model becomes one vector: its first position, or the average of all.',
  },
  embeddingQueryPrefix: {
    variable: 'MEMORY_EMBEDDING_QUERY_PREFIX',
    type: text(),
    example: 'query:',
    default: null,
    defaultInWords: 'as is known of the model, else none',
    description: 'What the model requires before a query, such as query:. A space is added.',
  },
  embeddingPassagePrefix: {
    variable: 'MEMORY_EMBEDDING_PASSAGE_PREFIX',
    type: text(),
    example: 'passage:',
    default: null,
    defaultInWords: 'as is known of the model, else none',
    description: 'What the model requires before a stored text, such as passage:. A space is added.',
  },
  embeddingMegabytes: {
    variable: 'MEMORY_EMBEDDING_MEGABYTES',
    type: integer(256, 262_144),
    // A model of the size of XLM-RoBERTa-large in int8 needs 1.2 GB while it loads, and 1.3 GB with long texts.
    example: '2048',
    default: ({ memoryMegabytes }) => Math.max(512, Math.min(4096, Math.floor(memoryMegabytes * 0.75))),
    defaultInWords: '4096, on small machines three quarters of the memory',
    description: 'The most MiB of memory for the process that runs the model.',
  },
  embeddingThreads: {
    variable: 'MEMORY_EMBEDDING_THREADS',
    type: integer(1, 1024),
    example: '1',
    default: ({ cores }) => cores,
    defaultInWords: 'the number of cores that the process can use',
    description: 'The threads that run the model. More threads than cores make it much slower.',
  },
  embeddingWeight: {
    variable: 'MEMORY_EMBEDDING_WEIGHT',
    type: decimal(0, 10),
    example: '0.5',
    default: null,
    defaultInWords: 'as is known of the model, else 1',
    description:
      'How much likeness in meaning counts in a search by words and by meaning; words count 2.5. Less for a model that errs often.',
  },
  modelDir: {
    variable: 'MEMORY_MODEL_DIR',
    type: text(4096),
    example: '/var/lib/team-memory/models',
    default: '.data/models',
    description: 'Folder of models.',
  },
  modelHub: {
    variable: 'MEMORY_MODEL_HUB',
    type: FOLDER_URL,
    default: 'https://huggingface.co',
    description: 'Where a missing model is downloaded from.',
  },
} as const satisfies Record<string, Setting>;
