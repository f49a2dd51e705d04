import type { Routes } from '../../types.ts';
import { clientPackageRoutes } from './client-package.ts';
import { consolePage } from './console-page.ts';
import { healthRoutes } from './health.ts';
import { acceptPage, joinPage, resetPage } from './link-pages.ts';
import { metricsRoute } from './metrics.ts';
import { openApiRoute } from './openapi-document.ts';

/** Health, figures for monitoring, and the pages that browsers load. */
export const systemRoutes: readonly Routes[] = [
  healthRoutes,
  openApiRoute,
  metricsRoute,
  clientPackageRoutes,
  resetPage,
  joinPage,
  acceptPage,
  consolePage,
];
