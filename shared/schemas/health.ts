import { Type } from 'typebox';
import { OneOf } from './common.ts';

export const Embedder = Type.Object({
  mode: OneOf(['client-provided', 'server']),
  model: Type.String(),
  dim: Type.Integer(),
  serverModeEnabled: Type.Boolean(),
  problem: Type.Optional(
    Type.String({
      description:
        'why no worker makes vectors at the moment, if the service makes them itself; until then searches use only ' +
        'keywords',
    }),
  ),
});
export const Health = Type.Object({
  ok: Type.Boolean(),
  backend: OneOf(['postgres', 'pglite']),
  embedder: Embedder,
});
