import type { Scene } from '../../support/access-changes.ts';
import type { openTestApp } from '../../support/app.ts';

export type Service = Awaited<ReturnType<typeof openTestApp>>;

export interface LateScene extends Scene {
  /** Whether the person has a grant on the client. */
  hasGrant: boolean;
}

/** A part of a request: as it is, or made together with what the request needs. */
export type Part<T> = T | ((scene: LateScene, service: Service) => T | Promise<T>);
