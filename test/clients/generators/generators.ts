import type { Program } from '../frame/programs.ts';

/** A generator of typed clients. */
export interface Generator {
  name: string;
  program: Extract<Program, 'openapi-typescript' | 'hey-api' | 'orval'>;
  /** Its program in `calls`. */
  calls: string;
  /** The command that generates the client from $DOCUMENT for the service at $URL, in the folder of the program. */
  command: string;
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    program: 'openapi-typescript',
    calls: 'openapi-fetch.ts',
    command: 'openapi-typescript "$DOCUMENT" --output schema.d.ts',
  },
  {
    name: '@hey-api/openapi-ts',
    program: 'hey-api',
    calls: 'hey-api.ts',
    command: 'openapi-ts --input "$DOCUMENT" --output client --client @hey-api/client-fetch',
  },
  {
    name: 'orval',
    program: 'orval',
    calls: 'orval.ts',
    // Only a file can give it the address.
    command: `cat > orval.config.mjs << END
export default {
  memory: {
    input: '$DOCUMENT',
    output: { target: 'client.ts', client: 'fetch', mode: 'single', baseUrl: '$URL' },
  },
};
END
orval --config orval.config.mjs`,
  },
];
