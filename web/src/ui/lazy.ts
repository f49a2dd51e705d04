import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A component that is loaded when it is first shown. If it cannot be loaded, another takes its place. */
export const lazyOr = <P>(
  load: () => Promise<{ default: ComponentType<P> }>,
  other: ComponentType<P>,
): LazyExoticComponent<ComponentType<P>> => lazy(() => load().catch(() => ({ default: other })));
