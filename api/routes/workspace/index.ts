import type { Routes } from '../../types.ts';
import { manifestRoute } from './manifest.ts';
import { pullRoute } from './pull.ts';
import { pushRoute } from './push.ts';
import { fileVersionsRoute } from './versions.ts';

/** /v1/workspace: the files of the selected Team. */
export const workspaceRoutes: readonly Routes[] = [manifestRoute, pullRoute, pushRoute, fileVersionsRoute];
